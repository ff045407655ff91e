// Keeps connections and listening sockets from the programs that modules start: Asio makes them
// without SOCK_CLOEXEC.
#pragma once

namespace longshore::observe {

void close_on_exec(int descriptor);

}  // namespace longshore::observe
