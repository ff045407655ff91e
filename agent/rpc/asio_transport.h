// Makes a Transport of any Asio stream: Unix socket, Windows stream_handle, socket pair.
#pragma once

#include <boost/asio/error.hpp>
#include <boost/asio/write.hpp>
#include <utility>

#include "rpc/transport.h"

namespace longshore::rpc {

template <typename Stream>
class AsioTransport final : public Transport {
 public:
  explicit AsioTransport(Stream stream) : stream_(std::move(stream)) {
    if constexpr (kIsSocket) {
      boost::system::error_code ignored;  // a socket that cannot do this fails at its first read
      stream_.non_blocking(true, ignored);
    }
  }

  void read_some(boost::asio::mutable_buffer buffer, std::shared_ptr<TransportUser> user) override {
    stream_.async_read_some(
        buffer, [user = std::move(user)](boost::system::error_code error, size_t bytes) {
          user->on_read(error, bytes);
        });
  }

  size_t write_now(boost::asio::const_buffer bytes, std::error_code& error) override {
    error.clear();
    if constexpr (kIsSocket) {
      boost::system::error_code code;
      const size_t written = stream_.write_some(bytes, code);
      if (code && code != boost::asio::error::would_block) error = code;
      return written;
    }
    return 0;
  }

  void write(boost::asio::const_buffer bytes, std::shared_ptr<TransportUser> user) override {
    boost::asio::async_write(stream_, bytes,
                             [user = std::move(user)](boost::system::error_code error, size_t) {
                               user->on_written(error);
                             });
  }

  void end_writing() override {
    if constexpr (kIsSocket) {
      boost::system::error_code ignored;  // the peer may have closed it before us
      stream_.shutdown(Stream::shutdown_send, ignored);
    }
  }

  void close() override {
    boost::system::error_code ignored;  // the peer may have closed it before us
    stream_.close(ignored);
  }

  boost::asio::any_io_executor executor() override { return stream_.get_executor(); }

 private:
  // Sockets have a mode in which a write never waits, and end one direction at a time; the handles
  // of Windows pipes do neither.
  static constexpr bool kIsSocket = requires(Stream & stream, boost::system::error_code& code) {
    stream.non_blocking(true, code);
    stream.shutdown(Stream::shutdown_send, code);
  };

  Stream stream_;
};

template <typename Stream>
std::unique_ptr<Transport> make_transport(Stream stream) {
  return std::make_unique<AsioTransport<Stream>>(std::move(stream));
}

}  // namespace longshore::rpc
