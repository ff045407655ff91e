// A connected byte stream, whatever it is made of: Unix socket, named pipe, socket pair.
//
// The protocol code in this folder knows only this interface, so it is the same on every system.
// Owner: the connection. Threads: everything on the executor's thread.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/buffer.hpp>
#include <functional>
#include <memory>
#include <system_error>
#include <utility>

namespace longshore::rpc {

class Transport {
 public:
  using Handler = std::function<void(std::error_code, size_t)>;

  virtual ~Transport() = default;

  // Reads at least one byte. One read at a time; the buffer lives until the handler is called.
  virtual void read_some(boost::asio::mutable_buffer buffer, Handler handler) = 0;

  // Writes all of it. One write at a time; the bytes live until the handler is called.
  virtual void write(boost::asio::const_buffer bytes, Handler handler) = 0;

  // Ends both directions. Handlers that are under way are called with an error.
  virtual void close() = 0;

  virtual boost::asio::any_io_executor executor() = 0;
};

}  // namespace longshore::rpc
