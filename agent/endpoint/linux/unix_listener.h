// A listener of a Unix socket that is open already.
//
// Threads: as its listener's.
#pragma once

#include <boost/asio/io_context.hpp>
#include <memory>

#include "endpoint/linux/socket_file.h"
#include "endpoint/listener.h"

namespace longshore::endpoint {

Result<std::unique_ptr<Listener>> listen_on(boost::asio::io_context& io, SocketFile file);

}  // namespace longshore::endpoint
