// A server on agent/rpc over a Unix socket, with the service of peer_service.h. Half of the calls
// are answered by other threads. Ends with SIGTERM, in order.
//
//   rpc_test_server --socket <path>
#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/thread_pool.hpp>
#include <iostream>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "peer_service.h"
#include "rpc/asio_transport.h"
#include "rpc/server.h"

namespace longshore::rpc {
namespace {

namespace asio = boost::asio;
using Local = asio::local::stream_protocol;

// What all calls share. Touched on the io_context's thread only.
struct Counters {
  int hanging = 0;
  int given_up = 0;
  size_t streamed = 0;
};

class TestServer;

class Call final : public ServerCallHandler {
 public:
  Call(TestServer& server, const CallHead& head, std::shared_ptr<ServerStream> stream)
      : server_(server), head_(head), stream_(std::move(stream)) {}

  void on_message(std::string message, MemoryCharge held) override;
  std::chrono::steady_clock::time_point request_deadline() const override {
    return std::chrono::steady_clock::time_point::max();
  }
  void on_half_close() override;
  void on_cancel() override;
  void on_writable() override { stream_on(); }

 private:
  size_t wanted(const char* key) const {
    const std::string* value = find(head_.metadata, key);
    return value == nullptr ? 0 : std::stoul(*value);
  }
  void answer(std::string message);
  void finish_as_wanted();
  void hang();
  void stream_on();

  TestServer& server_;
  const CallHead head_;
  const std::shared_ptr<ServerStream> stream_;
  std::string request_;
  bool hangs_ = false;
  size_t streamed_ = 0;
};

class TestServer final : public ServiceHandler {
 public:
  TestServer(asio::io_context& context, const std::string& path)
      : context_(context), acceptor_(context, Local::endpoint(path)) {
    limits_.max_message_bytes = conformance::kMaxMessageBytes;
    limits_.max_memory_bytes = 8 * conformance::kMaxMessageBytes;
    accept();
  }

  std::unique_ptr<ServerCallHandler> start_call(const CallHead& head,
                                                std::shared_ptr<ServerStream> stream) override {
    if (!head.path.starts_with("/test.Peer/")) {
      stream->finish(StatusCode::kUnimplemented, "no such service", {});
      return nullptr;
    }
    return std::make_unique<Call>(*this, head, std::move(stream));
  }

  void drain() {
    for (const auto& connection : std::set(connections_)) connection->drain();
  }

  void stop() {
    acceptor_.close();
    for (const auto& connection : std::set(connections_)) connection->close();
    pool_.join();
  }

  // Every other answer comes from another thread.
  void answer(std::function<void()> say) {
    if (++answers_ % 2 == 0) return say();
    asio::post(pool_, std::move(say));
  }

  Counters counters;
  asio::io_context& context() { return context_; }

 private:
  void accept() {
    acceptor_.async_accept([this](boost::system::error_code error, Local::socket socket) {
      if (error) return;
      auto connection = make_server_connection(make_transport(std::move(socket)), *this, limits_);
      connections_.insert(connection);
      connection->start([this, weak = std::weak_ptr(connection)](const std::string&) {
        connections_.erase(weak.lock());
      });
      accept();
    });
  }

  asio::io_context& context_;
  Local::acceptor acceptor_;
  asio::thread_pool pool_{2};
  Limits limits_;
  std::set<std::shared_ptr<ServerConnection>> connections_;
  unsigned answers_ = 0;
};

void Call::on_message(std::string message, MemoryCharge) {
  if (head_.path == conformance::kChat) {
    stream_->send(std::move(message));
  } else {
    request_ = std::move(message);
  }
}

void Call::on_half_close() {
  const std::string& path = head_.path;
  if (path == conformance::kEcho) {
    Metadata trailers;
    for (const auto& field : head_.metadata) {
      if (field.first.starts_with("x-")) trailers.push_back(field);
    }
    server_.answer([stream = stream_, message = std::move(request_), trailers]() mutable {
      if (trailers.empty()) return stream->send_and_finish(std::move(message));
      stream->send(std::move(message));
      stream->finish(StatusCode::kOk, {}, std::move(trailers));
    });
  } else if (path == conformance::kStatus) {
    finish_as_wanted();
  } else if (path == conformance::kStream) {
    server_.counters.streamed = 0;
    stream_on();
  } else if (path == conformance::kHang) {
    hang();
  } else if (path == conformance::kChat) {
    stream_->finish(StatusCode::kOk, {}, {});
  } else if (path == conformance::kDeadline) {
    answer(head_.timeout ? std::to_string(head_.timeout->count()) : "none");
  } else if (path == conformance::kCounts) {
    const Counters& counters = server_.counters;
    answer(std::to_string(counters.hanging) + " " + std::to_string(counters.given_up) + " " +
           std::to_string(counters.streamed));
  } else if (path == conformance::kDrain) {
    answer({});
    asio::post(server_.context(), [&server = server_] { server.drain(); });
  } else {
    stream_->finish(StatusCode::kUnimplemented, "no such method", {});
  }
}

void Call::answer(std::string message) {
  server_.answer([stream = stream_, message = std::move(message)]() mutable {
    stream->send_and_finish(std::move(message));
  });
}

void Call::finish_as_wanted() {
  const std::string* text = find(head_.metadata, "want-text-bin");
  server_.answer([stream = stream_, messages = wanted("want-messages"),
                  code = static_cast<StatusCode>(wanted("want-code")),
                  text = text == nullptr ? std::string() : *text] {
    for (size_t i = 0; i < messages; ++i) stream->send("message");
    stream->finish(code, text, {});
  });
}

void Call::hang() {
  hangs_ = true;
  ++server_.counters.hanging;
  for (size_t i = 0; i < wanted("want-messages"); ++i) stream_->send("message");
}

void Call::on_cancel() {
  if (!std::exchange(hangs_, false)) return;
  --server_.counters.hanging;
  ++server_.counters.given_up;
}

void Call::stream_on() {
  const size_t count = wanted("want-count");
  bool has_room = true;
  while (has_room && streamed_ < count) {
    ++streamed_;
    ++server_.counters.streamed;
    has_room = stream_->send(std::string(wanted("want-size"), static_cast<char>(streamed_)));
  }
  if (streamed_ == count) stream_->finish(StatusCode::kOk, "streamed", {});
}

}  // namespace
}  // namespace longshore::rpc

int main(int count, char** words) {
  if (count != 3 || std::string(words[1]) != "--socket") {
    std::cerr << "usage: rpc_test_server --socket <path>\n";
    return 2;
  }
  boost::asio::io_context context(1);
  longshore::rpc::TestServer server(context, words[2]);
  boost::asio::signal_set signals(context, SIGTERM, SIGINT);
  signals.async_wait([&](boost::system::error_code, int) { server.stop(); });
  std::cout << "serving" << std::endl;
  context.run();
  return 0;
}
