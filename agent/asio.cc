// Asio's sources, compiled once for everything that includes it (BOOST_ASIO_SEPARATE_COMPILATION).
#include <boost/asio/impl/src.hpp>
