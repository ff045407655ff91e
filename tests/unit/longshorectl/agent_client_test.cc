// What longshorectl makes of an agent that is replaced while they speak.
#include "tools/longshorectl/agent_client.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <catch2/catch.hpp>
#include <filesystem>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "rpc/asio_transport.h"
#include "tests/support/temporary_directory.h"
#include "tests/unit/rpc/test_service.h"

namespace longshore::ctl {
namespace {

using Local = boost::asio::local::stream_protocol;

// An agent's socket, and whoever listens there. Threads: what is asked of it hops to its own.
class Listener {
 public:
  // `takes_calls`: without it, each connection is told at once that it takes no more.
  explicit Listener(const std::string& socket, bool takes_calls = true)
      : takes_calls_(takes_calls), acceptor_(context_, Local::endpoint(socket)) {
    accept();
    thread_ = std::thread([this] { context_.run(); });
  }
  ~Listener() {
    within([this] {
      acceptor_.close();
      for (const auto& connection : connections_) connection->close();
    });
    thread_.join();
  }

  // As an agent does that ends: what runs may end, nothing follows.
  void drain() {
    const auto closed = std::make_shared<std::promise<void>>();
    within([&] {
      on_closed_ = [closed] { closed->set_value(); };
      connections_.back()->drain();
    });
    closed->get_future().wait();
  }
  // As an agent does that is killed.
  void close_when_called() {
    within([this] { is_mortal_ = true; });
  }

  size_t connections() {
    return within([this] { return accepted_; });
  }
  size_t calls() {
    return within([this] { return service_.calls.size(); });
  }

 private:
  class Service final : public rpc::ServiceHandler {
   public:
    explicit Service(Listener& listener) : listener_(listener) {}
    std::unique_ptr<rpc::ServerCallHandler> start_call(
        const rpc::CallHead& head, std::shared_ptr<rpc::ServerStream> stream) override {
      if (listener_.is_mortal_) {
        boost::asio::post(listener_.context_,
                          [&listener = listener_] { listener.connections_.back()->close(); });
      }
      return listener_.service_.start_call(head, std::move(stream));
    }

   private:
    Listener& listener_;
  };

  template <typename Act>
  std::invoke_result_t<Act> within(Act act) {
    std::packaged_task<std::invoke_result_t<Act>()> task(std::move(act));
    auto result = task.get_future();
    boost::asio::post(context_, [task = std::move(task)]() mutable { task(); });
    return result.get();
  }

  void accept() {
    acceptor_.async_accept([this](boost::system::error_code error, Local::socket stream) {
      if (error) return;
      ++accepted_;
      accept();
      if (!takes_calls_) return refuse(std::move(stream));
      rpc::Limits limits;
      limits.drain_ping_timeout = std::chrono::milliseconds(1);
      connections_.push_back(
          rpc::make_server_connection(rpc::make_transport(std::move(stream)), handler_, limits));
      connections_.back()->start([this](const std::string&) {
        if (on_closed_) std::exchange(on_closed_, nullptr)();
      });
    });
  }

  // Empty SETTINGS, and a GOAWAY by which nothing was seen.
  void refuse(Local::socket stream) {
    static constexpr char kFrames[] = "\0\0\0\4\0\0\0\0\0\0\0\10\7\0\0\0\0\0\0\0\0\0\0\0\0\0";
    boost::asio::write(stream, boost::asio::buffer(kFrames, sizeof(kFrames) - 1));
    refused_.push_back(std::move(stream));
  }

  const bool takes_calls_;
  bool is_mortal_ = false;
  boost::asio::io_context context_{1};
  Local::acceptor acceptor_;
  rpc::TestService service_;
  Service handler_{*this};
  std::function<void()> on_closed_;
  std::vector<std::shared_ptr<rpc::ServerConnection>> connections_;
  std::vector<Local::socket> refused_;
  size_t accepted_ = 0;
  std::thread thread_;
};

struct World {
  std::unique_ptr<AgentClient> connect() {
    auto client = AgentClient::connect(socket, std::chrono::seconds(30));
    REQUIRE(client);
    return std::move(*client);
  }

  test::TemporaryDirectory directory;
  const std::string socket = directory / "socket";
};

Result<std::string> echo(AgentClient& client, const std::string& text) {
  std::string answer;
  auto done =
      client.call("t/Echo", text, [&](std::string message) { answer = std::move(message); });
  if (!done) return std::move(done).error();
  return answer;
}

}  // namespace

TEST_CASE_METHOD(World, "What an agent did not see, its successor is asked") {
  Listener listener(socket);
  const auto client = connect();
  REQUIRE(echo(*client, "one").value() == "one");
  listener.drain();
  CHECK(echo(*client, "two").value() == "two");
  listener.drain();
  CHECK(client->ask("t/Echo", "three").value() == "three");
  CHECK(listener.connections() == 3);
  CHECK(listener.calls() == 3);
}

TEST_CASE_METHOD(World, "An agent that takes no calls is not asked forever") {
  Listener listener(socket, false);
  const auto client = connect();
  const auto answer = echo(*client, "text");
  REQUIRE_FALSE(answer);
  CHECK(answer.error().code() == StatusCode::kUnavailable);
  CHECK(listener.connections() == 5);
}

TEST_CASE_METHOD(World, "Where no successor listens, the error says that nobody does") {
  auto listener = std::make_unique<Listener>(socket);
  const auto client = connect();
  REQUIRE(echo(*client, "one"));
  listener->drain();
  listener.reset();
  const auto answer = echo(*client, "two");
  REQUIRE_FALSE(answer);
  CHECK(answer.error().code() == StatusCode::kUnavailable);
  CHECK(answer.error().message().find("nobody listens") != std::string::npos);
  CHECK(client->is_out_of_reach());
  std::filesystem::remove(socket);
  Listener successor(socket);
  CHECK(echo(*client, "three").value() == "three");
  CHECK_FALSE(client->is_out_of_reach());
}

TEST_CASE_METHOD(World, "What was seen is asked once, whatever became of it") {
  Listener listener(socket);
  const auto client = connect();
  REQUIRE(echo(*client, "one"));
  listener.close_when_called();
  const auto answer = client->ask("t/NeverAnswered", "two");
  REQUIRE_FALSE(answer);
  CHECK(answer.error().code() == StatusCode::kUnavailable);
  CHECK(listener.calls() == 2);
  CHECK(listener.connections() == 1);
}

}  // namespace longshore::ctl
