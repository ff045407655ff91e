// Requests that end early: by their caller, by their time, with their client; at every step.
#include <atomic>
#include <boost/asio/ip/tcp.hpp>
#include <catch2/catch.hpp>

#include "tests/unit/kube/asking.h"

namespace longshore::kube {
namespace {

using Catch::Matchers::Contains;
using test::Asking;
using test::Certificate;
using test::plain;
using test::ScriptedServer;
using test::secure;
using test::ServerSide;
using namespace std::chrono_literals;

// A step at which a server leaves a request, and what it then still did.
struct Step {
  const char* name;
  const char* still;
  bool has_tls = false;
  bool shakes_hands = true;
  const char* answer = "";  // sent before the server falls silent
};

const std::vector<Step> kSteps = {
    {"handshake", "connected to https://127.0.0.1", true, false},
    {"no answer", "waited for the server"},
    {"no answer in TLS", "waited for the server", true},
    {"in the head", "waited for the server", false, true, "HTTP/1.1 200 OK\r\nConte"},
    {"in the body", "waited for the server", true, true,
     "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"},
};

class SilentServer {
 public:
  explicit SilentServer(const Step& step)
      : step_(step), server_(options_of(step, authority_), [this](ServerSide& side) {
          if (side.read_request().find(" /quick ") != std::string::npos) {
            side.answer(200, "", "Connection: close\r\n");
            return;
          }
          side.write(step_.answer);
          reached_ = true;
          side.wait_for_end();
          ended_ = true;
        }) {}

  Configuration configuration() const {
    return step_.has_tls ? secure(server_.port(), authority_.pem()) : plain(server_.port());
  }
  bool is_reached() const {
    return step_.shakes_hands ? reached_.load() : server_.connections() == 1;
  }
  bool is_ended() const { return ended_ || !step_.shakes_hands; }

 private:
  static ScriptedServer::Options options_of(const Step& step, const Certificate& authority) {
    ScriptedServer::Options options;
    if (step.has_tls) options.certificate = authority.sign({});
    options.shakes_hands = step.shakes_hands;
    return options;
  }

  const Step& step_;
  const Certificate authority_ = Certificate::authority();
  std::atomic<bool> reached_ = false;
  std::atomic<bool> ended_ = false;
  ScriptedServer server_;  // last: its threads use the others
};

Request in_time(std::chrono::milliseconds time) {
  Request request;
  request.path = "/version";
  request.deadline = std::chrono::steady_clock::now() + time;
  return request;
}

void check_cancelled(const Outcome& outcome) {
  REQUIRE_FALSE(outcome);
  CHECK(outcome.error().code() == StatusCode::kCancelled);
  CHECK_THAT(outcome.error().message(),
             Catch::StartsWith("cannot get \"/version\": the caller has cancelled it"));
}

TEST_CASE("A request is cancelled at every step, and its connection closed") {
  for (const Step& step : kSteps) {
    INFO(step.name);
    SilentServer server(step);
    Asking asking(server.configuration());
    const auto asked = asking.begin_get("/version");
    asking.run_until([&] { return server.is_reached(); });
    asked.call->cancel();
    asked.call->cancel();
    check_cancelled(asking.end(asked));
    CHECK(test::eventually([&] { return server.is_ended(); }));
  }
}

TEST_CASE("A request's time ends it at every step, and it says which one that was") {
  for (const Step& step : kSteps) {
    INFO(step.name);
    const std::string expected =
        "no answer in time, and the request still " + std::string(step.still);
    std::string message;
    // On a busy machine a short time ends before the step.
    for (auto time = 200ms; time < 60s && message.find(expected) == message.npos; time *= 2) {
      SilentServer server(step);
      Asking asking(server.configuration());
      const Outcome outcome = asking.ask(in_time(time));
      REQUIRE_FALSE(outcome);
      CHECK(outcome.error().code() == StatusCode::kDeadlineExceeded);
      message = outcome.error().message();
    }
    CHECK_THAT(message, Contains(expected));
  }
}

TEST_CASE("An answer that trickles past its time is given up") {
  ScriptedServer server({}, [](ServerSide& side) {
    side.read_request();
    side.write("HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n");
    for (int i = 0; i < 100'000 && !side.is_gone(); ++i) side.write("x");
    side.wait_for_end();
  });
  Asking asking(plain(server.port()));
  Request request = in_time(200ms);
  request.max_response_bytes = 2u << 30;
  const Outcome outcome = asking.ask(std::move(request));
  REQUIRE_FALSE(outcome);
  CHECK(outcome.error().code() == StatusCode::kDeadlineExceeded);
}

TEST_CASE("A request that is late already is not made") {
  ScriptedServer server({}, [](ServerSide&) {});
  const Outcome outcome = Asking(plain(server.port())).ask(in_time(-1ms));
  REQUIRE_FALSE(outcome);
  CHECK(outcome.error().code() == StatusCode::kDeadlineExceeded);
  CHECK(server.connections() == 0);
}

TEST_CASE("A request is cancelled before it begins, and while its name is looked up") {
  ScriptedServer server({}, [](ServerSide& side) { side.wait_for_end(); });
  Configuration configuration = plain(server.port());
  configuration.server.host = "localhost";
  Asking asking(std::move(configuration));
  const bool has_begun = GENERATE(false, true);
  const auto asked = asking.begin_get("/version");
  if (has_begun) asking.run_ready();
  asked.call->cancel();
  check_cancelled(asking.end(asked));
}

TEST_CASE("A request is cancelled while the server's node takes no connection") {
  // A queue of one that is full: what else comes is not answered at all.
  namespace asio = boost::asio;
  asio::io_context io;
  asio::ip::tcp::acceptor full(io, asio::ip::tcp::v4());
  full.bind({asio::ip::address_v4::loopback(), 0});
  full.listen(0);
  std::vector<asio::ip::tcp::socket> fillers;
  for (int i = 0; i < 4; ++i) {
    fillers.emplace_back(io, asio::ip::tcp::v4());
    fillers.back().async_connect(full.local_endpoint(), [](const boost::system::error_code&) {});
  }
  io.poll();
  Asking asking(plain(full.local_endpoint().port()));
  const auto asked = asking.begin_get("/version");
  asking.run_ready();
  asked.call->cancel();
  check_cancelled(asking.end(asked));
  const Outcome late = asking.ask(in_time(200ms));
  REQUIRE_FALSE(late);
  CHECK_THAT(late.error().message(), Contains("still connected to http://127.0.0.1"));
}

TEST_CASE("A request that waits for a connection is cancelled, late, or has its turn") {
  const Step step = kSteps[1];
  SilentServer server(step);
  Asking asking(server.configuration(), ClientOptions{1});
  const auto first = asking.begin_get("/version");
  asking.run_until([&] { return server.is_reached(); });
  const auto cancelled = asking.begin_get("/version");
  const auto late = asking.begin(in_time(200ms));
  const auto patient = asking.begin_get("/quick");
  asking.run_ready();
  cancelled.call->cancel();
  check_cancelled(asking.end(cancelled));
  const Outcome outcome = asking.end(late);
  REQUIRE_FALSE(outcome);
  CHECK_THAT(outcome.error().message(), Contains("still waited for one of the connections"));
  CHECK_FALSE(patient.outcome->has_value());
  first.call->cancel();
  CHECK(asking.end(patient));
}

TEST_CASE("Requests that run when their client goes are cancelled") {
  SilentServer server(kSteps[1]);
  Asking asking(server.configuration());
  const auto asked = asking.begin_get("/version");
  asking.run_until([&] { return server.is_reached(); });
  asking.end_client();
  check_cancelled(asking.end(asked));
}

TEST_CASE("A request that has ended is not ended again") {
  ScriptedServer server(
      {}, ScriptedServer::answering([](ServerSide& side, const auto&) { side.answer(200, ""); }));
  Asking asking(plain(server.port()));
  const auto asked = asking.begin_get("/version");
  CHECK(asking.end(asked));
  asked.call->cancel();
  asking.run_ready();
  CHECK(asking.get("/version"));
  CHECK(server.connections() == 1);
}

}  // namespace
TEST_CASE("A request that is not permitted when its turn comes is not sent") {
  std::atomic<int> requests = 0;
  ScriptedServer server({}, ScriptedServer::answering([&](ServerSide& side, const std::string&) {
                          ++requests;
                          side.answer(200, "{}");
                        }));
  Asking asking(plain(server.port()), {.max_connections = 1});
  bool is_permitted = true;
  Request write{.method = Method::kPut, .path = "/a", .body = "{}"};
  write.permit = [&]() -> Result<void> {
    if (is_permitted) return {};
    return Error::of_text(StatusCode::kUnavailable, "the lease is over");
  };
  CHECK(asking.ask(write));
  Request first{.path = "/first"};
  // While the others wait for the one connection.
  first.permit = [&]() -> Result<void> {
    is_permitted = false;
    return {};
  };
  const auto before = asking.begin(first);
  const auto waiting = asking.begin(write);
  const auto behind = asking.begin_get("/behind");
  CHECK(asking.end(before));
  const auto refused = asking.end(waiting);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code() == StatusCode::kUnavailable);
  CHECK(refused.error().message() == "cannot update \"/a\": the lease is over");
  CHECK(asking.end(behind));
  CHECK(requests == 3);
  CHECK(server.connections() == 1);
}

TEST_CASE("A long request whose permit ends while it is sent does not come to its end") {
  std::atomic<bool> is_over = false;
  std::atomic<size_t> received = 0;
  ScriptedServer server({}, [&](ServerSide& side) {
    received = side.read_request().size();
    is_over = true;
  });
  Asking asking(plain(server.port()));
  const std::string body(48u << 20, ' ');
  int asked = 0;
  Request write{.method = Method::kPut, .path = "/a", .body = body};
  write.permit = [&]() -> Result<void> {
    if (++asked < 3) return {};  // the first part goes
    return Error::of_text(StatusCode::kUnavailable, "the lease is over");
  };
  const auto refused = asking.ask(write);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message() == "cannot update \"/a\": the lease is over");
  CHECK(test::eventually([&] { return is_over.load(); }));
  CHECK(received < body.size());
}

}  // namespace longshore::kube
