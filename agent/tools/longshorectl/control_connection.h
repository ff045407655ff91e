// Opens the way to an agent: a Unix socket or a named pipe.
//
// Threads: the program's only one.
#pragma once

#include <boost/asio/io_context.hpp>
#include <memory>
#include <string>

#include "longshore/result.hpp"
#include "rpc/transport.h"

namespace longshore::ctl {

Result<std::unique_ptr<rpc::Transport>> open_transport(boost::asio::io_context& context,
                                                       const std::string& socket);

}  // namespace longshore::ctl
