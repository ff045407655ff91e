// Asio's sources of TLS, compiled once, as agent/asio.cc has those without.
#include <boost/asio/ssl/impl/src.hpp>
