// Makes a Transport of any Asio stream: Unix socket, Windows stream_handle, socket pair.
#pragma once

#include <boost/asio/write.hpp>

#include "rpc/transport.h"

namespace longshore::rpc {

template <typename Stream>
class AsioTransport final : public Transport {
 public:
  explicit AsioTransport(Stream stream) : stream_(std::move(stream)) {}

  void read_some(boost::asio::mutable_buffer buffer, Handler handler) override {
    stream_.async_read_some(buffer, std::move(handler));
  }
  void write(boost::asio::const_buffer bytes, Handler handler) override {
    boost::asio::async_write(stream_, bytes, std::move(handler));
  }
  void close() override {
    boost::system::error_code ignored;  // the peer may have closed it before us
    stream_.close(ignored);
  }
  boost::asio::any_io_executor executor() override { return stream_.get_executor(); }

 private:
  Stream stream_;
};

template <typename Stream>
std::unique_ptr<Transport> make_transport(Stream stream) {
  return std::make_unique<AsioTransport<Stream>>(std::move(stream));
}

}  // namespace longshore::rpc
