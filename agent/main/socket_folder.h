// The folder in which a controller's socket is to be.
//
// Threads: any; a plain function.
#pragma once

#include <string>

#include "longshore/result.hpp"

namespace longshore {

// NOT_FOUND: it is missing. It is the clients', who look for sockets there: one that was made here
// would not be found.
Result<void> check_socket_folder(const std::string& socket);

}  // namespace longshore
