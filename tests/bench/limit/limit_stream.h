// What the limit's server has to know of a system: a stream, where clients come from, and whether a
// path is there.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <string>
#if defined(_WIN32)
#include <boost/asio/windows/stream_handle.hpp>
#else
#include <boost/asio/local/stream_protocol.hpp>
#endif

namespace longshore::bench {

#if defined(_WIN32)
using LimitStream = boost::asio::windows::stream_handle;
#else
using LimitStream = boost::asio::local::stream_protocol::socket;
#endif

// Tells of each client of the socket or pipe, as long as `io` runs. Throws where nobody can listen.
void listen_at(boost::asio::io_context& io, const std::string& name,
               std::function<void(LimitStream)> on_client);

bool has_path(const std::string& path);

}  // namespace longshore::bench
