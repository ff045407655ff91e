// Boost.JSON's own code, compiled here: a module brings along what it links, and Debian's archive
// of it does not go into shared objects.
#include <boost/json/src.hpp>
