#include <boost/asio/local/stream_protocol.hpp>
#include <utility>

#include "endpoint/linux/socket_file.h"
#include "endpoint/linux/unix_listener.h"
#include "rpc/asio_transport.h"

namespace longshore::endpoint {
namespace {

namespace asio = boost::asio;
using Protocol = asio::local::stream_protocol;

class UnixListener final : public Listener {
 public:
  UnixListener(asio::io_context& io, SocketFile file) : file_(std::move(file)), acceptor_(io) {}

  Result<void> listen() {
    const int descriptor = file_.release_descriptor();
    boost::system::error_code error;
    acceptor_.assign(Protocol(), descriptor, error);
    if (!error) return {};
    static_cast<void>(SocketFile::adopt(descriptor, file_.path()));  // which closes it
    return Error(StatusCode::kUnknown, "listen on the socket", file_.path())
        .because(std::error_code(error));
  }

  void accept(OnClient on_client) override {
    acceptor_.async_accept([on_client = std::move(on_client)](boost::system::error_code error,
                                                              Protocol::socket socket) {
      if (error) return on_client(error, std::nullopt);
      on_client({}, client_of(std::move(socket)));
    });
  }

  // New clients find no socket file any more.
  void stop(const OnClient& on_client) override {
    boost::system::error_code error;
    const bool may_welcome = file_.is_ours() && acceptor_.is_open() && on_client;
    file_.remove_name();
    if (may_welcome) acceptor_.non_blocking(true, error);
    while (may_welcome && !error) {
      Protocol::socket socket = acceptor_.accept(error);
      if (!error) on_client({}, client_of(std::move(socket)));
    }
    boost::system::error_code ignored;  // closing twice is fine
    acceptor_.close(ignored);
  }

  Result<void> apply_access(const ListenerOptions& options) override {
    return file_.apply_access(options);
  }
  bool lacks_access(const ListenerOptions& options) const override {
    return file_.lacks_access(options);
  }
  Result<void> check_place() const override { return file_.check_place(); }

 private:
  static Client client_of(Protocol::socket socket) {
    close_on_exec(socket.native_handle());
    Result<Peer> peer = peer_of(socket.native_handle());
    return {rpc::make_transport(std::move(socket)), std::move(peer)};
  }

  SocketFile file_;
  Protocol::acceptor acceptor_;
};

}  // namespace

Result<std::unique_ptr<Listener>> listen_on(asio::io_context& io, SocketFile file) {
  auto listener = std::make_unique<UnixListener>(io, std::move(file));
  if (auto listening = listener->listen(); !listening) return std::move(listening).error();
  return std::unique_ptr<Listener>(std::move(listener));
}

Result<std::unique_ptr<Listener>> Listener::open(asio::io_context& io,
                                                 const ListenerOptions& options) {
  Result<SocketFile> file = SocketFile::listen(options);
  if (!file) return std::move(file).error();
  return listen_on(io, std::move(*file));
}

}  // namespace longshore::endpoint
