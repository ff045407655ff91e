// A server on agent/rpc over a Unix socket.
//
//   rpc_test_server --socket <path>
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/signal_set.hpp>
#include <iostream>
#include <string>

#include "rpc/asio_transport.h"
#include "rpc/server.h"

namespace longshore::rpc {
namespace {

namespace asio = boost::asio;
using Local = asio::local::stream_protocol;
using Socket = asio::basic_stream_socket<Local, asio::io_context::executor_type>;

class Echo final : public ServerCallHandler {
 public:
  explicit Echo(std::shared_ptr<ServerStream> stream) : stream_(std::move(stream)) {}
  void on_message(std::string message) override { stream_->send_and_finish(std::move(message)); }
  void on_half_close() override {}
  void on_cancel() override {}
  void on_writable() override {}

 private:
  std::shared_ptr<ServerStream> stream_;
};

class Service final : public ServiceHandler {
 public:
  std::unique_ptr<ServerCallHandler> start_call(const CallHead&,
                                                std::shared_ptr<ServerStream> stream) override {
    return std::make_unique<Echo>(std::move(stream));
  }
};

class Listener {
 public:
  Listener(asio::io_context& context, const std::string& path)
      : acceptor_(context, Local::endpoint(path)), context_(context) {
    accept();
  }

 private:
  void accept() {
    acceptor_.async_accept(context_, [this](boost::system::error_code error, Local::socket socket) {
      if (error) return;
      auto connection = make_server_connection(make_transport(std::move(socket)), service_, {});
      connection->start([](std::string) {});
      accept();
    });
  }
  Service service_;
  Local::acceptor acceptor_;
  asio::io_context& context_;
};

}  // namespace
}  // namespace longshore::rpc

int main(int count, char** words) {
  if (count != 3 || std::string(words[1]) != "--socket") return 2;
  boost::asio::io_context context(1);
  longshore::rpc::Listener listener(context, words[2]);
  boost::asio::signal_set signals(context, SIGTERM, SIGINT);
  signals.async_wait([&](boost::system::error_code, int) { context.stop(); });
  std::cout << "serving" << std::endl;
  context.run();
}
