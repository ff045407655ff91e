// A connected byte stream, whatever it is made of: Unix socket, named pipe, socket pair.
//
// The protocol code in this folder knows only this interface, so it is the same on every system.
// Owner: the connection. Threads: everything on the executor's thread.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/buffer.hpp>
#include <memory>
#include <system_error>

namespace longshore::rpc {

// Who reads and writes. A transport keeps it alive while an operation of its is under way.
class TransportUser {
 public:
  // Zero bytes come only with an error; the end of the stream is one.
  virtual void on_read(std::error_code error, size_t bytes) = 0;
  virtual void on_written(std::error_code error) = 0;

 protected:
  ~TransportUser() = default;
};

class Transport {
 public:
  virtual ~Transport() = default;

  // Reads at least one byte. One read at a time; the buffer lives until `on_read`.
  virtual void read_some(boost::asio::mutable_buffer buffer,
                         std::shared_ptr<TransportUser> user) = 0;

  // Writes what goes without waiting and answers how much that was: nothing when the peer is slow
  // or when the system cannot tell. Sets `error` always. Not while a `write` is under way.
  virtual size_t write_now(boost::asio::const_buffer bytes, std::error_code& error) = 0;

  // Writes all of it. One write at a time; the bytes live until `on_written`.
  virtual void write(boost::asio::const_buffer bytes, std::shared_ptr<TransportUser> user) = 0;

  // Tells the peer that nothing more comes; what it sends can still be read. Not while a `write` is
  // under way. Does nothing where the system has no such thing: pipes of Windows.
  virtual void end_writing() = 0;

  // Ends both directions. Operations that are under way end with an error.
  virtual void close() = 0;

  virtual boost::asio::any_io_executor executor() = 0;
};

}  // namespace longshore::rpc
