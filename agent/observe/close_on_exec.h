// Keeps connections and listening sockets from the programs that modules start: Asio makes them
// without SOCK_CLOEXEC.
#pragma once

#include <cstdint>

namespace longshore::observe {

void close_on_exec(intptr_t descriptor);

}  // namespace longshore::observe
