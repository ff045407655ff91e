// The bytes of a connection, in TLS or plain: an AsyncStream of Asio's for both, so that HTTP is
// compiled once. Threads: the context's. Owner: the connection.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "longshore/result.hpp"

namespace longshore::kube {

class Stream {
 public:
  using Socket = boost::asio::ip::tcp::socket;
  using Tls = boost::asio::ssl::stream<Socket&>;
  using executor_type = Socket::executor_type;  // NOLINT(readability-identifier-naming): of Asio

  explicit Stream(boost::asio::io_context& io) : socket_(io) {}

  executor_type get_executor() { return socket_.get_executor(); }
  Socket& socket() { return socket_; }

  // From now on in TLS, whose handshake is the caller's.
  Tls& begin_tls(std::shared_ptr<boost::asio::ssl::context> context) {
    context_ = std::move(context);
    return tls_.emplace(socket_, *context_);
  }
  bool has_tls() const { return tls_.has_value(); }

  // Asked before each part of what is written, if it is given: an error ends the connection, so
  // that the server has no whole request.
  void set_permit(std::function<Result<void>()> permit) { permit_ = std::move(permit); }

  template <typename Buffers, typename Handler>
  void async_read_some(const Buffers& buffers, Handler&& handler) {
    if (tls_) {
      tls_->async_read_some(buffers, std::forward<Handler>(handler));
    } else {
      socket_.async_read_some(buffers, std::forward<Handler>(handler));
    }
  }

  template <typename Buffers, typename Handler>
  void async_write_some(const Buffers& buffers, Handler&& handler) {
    if (permit_ && !permit_()) {
      boost::system::error_code ignored;
      socket_.close(ignored);
    }
    if (tls_) {
      tls_->async_write_some(buffers, std::forward<Handler>(handler));
    } else {
      socket_.async_write_some(buffers, std::forward<Handler>(handler));
    }
  }

 private:
  Socket socket_;
  std::shared_ptr<boost::asio::ssl::context> context_;
  std::optional<Tls> tls_;
  std::function<Result<void>()> permit_;
};

}  // namespace longshore::kube
