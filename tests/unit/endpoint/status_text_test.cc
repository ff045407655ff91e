// The texts of errors as clients get them: what strangers put into them drives nobody's terminal.
#include <boost/asio/local/stream_protocol.hpp>
#include <catch2/catch.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "endpoint/endpoint.h"
#include "grpc/health/v1.pb.h"
#include "rpc/asio_transport.h"
#include "rpc/client.h"
#include "tests/integration/hostile_text.h"
#include "tests/support/temporary_directory.h"
#include "tests/unit/endpoint/no_calls.h"
#include "text/escape.h"

namespace longshore::endpoint {
namespace {

namespace asio = boost::asio;
using Local = asio::local::stream_protocol;
using test::kHostile;

// A module that takes no call, and says so in the words of somebody else.
class Refusing final : public router::Target {
 public:
  explicit Refusing(std::string text) : text_(std::move(text)) {}
  Result<void> submit(std::shared_ptr<router::Call>) override {
    return Error::of_text(StatusCode::kAborted, text_);
  }
  void execute(router::Call&) override {}

 private:
  const std::string text_;
};

struct Ending final : rpc::ClientCallHandler {
  void on_message(std::string) override {}
  void on_finish(rpc::Outcome result) override { outcome = std::move(result); }
  std::optional<rpc::Outcome> outcome;
};

// An endpoint that serves one method, which fails with a text, and a client.
class TextFixture {
 public:
  explicit TextFixture(const std::string& text) {
    auto method = std::make_shared<router::Method>();
    method->service = "acme.v1.Disk";
    method->name = "Do";
    method->full_name = "acme.v1.Disk/Do";
    auto routes = std::make_shared<router::RouteTable>();
    routes->by_method[method->full_name] = {method, std::make_shared<Refusing>(text)};
    router_.set_routes(std::move(routes));
    EndpointOptions options{.name = "test", .services = {"acme.v1.Disk"}};
    options.listener.path = directory_ / "a/a.sock";
    endpoint_ = *Endpoint::open(options, {io_, router_, runner_, nullptr, catalog_, *log_});
    Local::socket socket(io_);
    socket.connect(Local::endpoint(options.listener.path));
    client_ = rpc::make_client_connection(rpc::make_transport(std::move(socket)), "", {});
    client_->start([](const std::string&) {});
  }
  ~TextFixture() {
    client_.reset();
    endpoint_->close();
    io_.poll();
  }

  rpc::Outcome call(const std::string& path, const std::string& request = {}) {
    const auto reply = std::make_shared<Ending>();
    client_->call({.path = path}, request, reply);
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    io_.restart();
    while (!reply->outcome && std::chrono::steady_clock::now() < end) io_.run_one_until(end);
    REQUIRE(reply->outcome);
    return *reply->outcome;
  }

 private:
  const test::TemporaryDirectory directory_;
  asio::io_context io_;
  router::Timers timers_;
  router::Router router_{timers_, {}};
  NoCalls runner_;
  const loader::CatalogHolder catalog_;
  const std::unique_ptr<observe::Log> log_ =
      *observe::Log::open({.write = [](observe::Level, std::string_view) {}});
  std::shared_ptr<Endpoint> endpoint_;
  std::shared_ptr<rpc::ClientConnection> client_;
};

TEST_CASE("What is dangerous in the text of an error reaches the client as escapes") {
  TextFixture world("cannot find \"" + kHostile + "\"");
  SECTION("of a module") {
    const auto outcome = world.call("/acme.v1.Disk/Do");
    CHECK(outcome.code == StatusCode::kAborted);
    CHECK(outcome.text == text::escaped("cannot find \"" + kHostile + "\""));
    CHECK(outcome.text.find("\\u202e") != std::string::npos);
    test::check_harmless(outcome.text);
  }
  SECTION("of a service that is not served") {
    const auto outcome = world.call("/acme\xe2\x80\xae.v1.Disk/Do");  // all that a path may have
    CHECK(outcome.code == StatusCode::kUnimplemented);
    CHECK(outcome.text == "this endpoint does not serve the service \"acme\\u202e.v1.Disk\"");
  }
  SECTION("of a method that a service has not got") {
    const auto outcome = world.call("/acme.v1.Disk/Do\xe2\x80\xae");
    CHECK(outcome.code == StatusCode::kUnimplemented);
    CHECK(outcome.text == "no enabled module serves the method acme.v1.Disk/Do\\u202e");
  }
  SECTION("of a health check") {
    ::grpc::health::v1::HealthCheckRequest request;
    request.set_service(kHostile);
    const auto outcome = world.call("/grpc.health.v1.Health/Check", request.SerializeAsString());
    CHECK(outcome.code == StatusCode::kNotFound);
    CHECK(outcome.text == text::escaped("this endpoint does not serve \"" + kHostile + "\""));
  }
}

TEST_CASE("What drivers look for in the text of an error stays, letter by letter") {
  const std::string text =
      "cannot find what is mounted on \"C:\\var\\lib\": 100 % of it is there, "
      "because it does not exist; (Get-Item -Path C:\\x).Target, output: , error: <nil> \xc3\xa9";
  TextFixture world(text);
  CHECK(world.call("/acme.v1.Disk/Do").text == text);
}

TEST_CASE("A text of nothing but escapes is cut to what may be sent") {
  TextFixture world(std::string(1u << 20, '\x1b'));
  const std::string told = world.call("/acme.v1.Disk/Do").text;
  CHECK(told.starts_with("\\u001b\\u001b"));
  CHECK(told.size() > 7000);
  CHECK(told.size() <= 16u << 10);
}

}  // namespace
}  // namespace longshore::endpoint
