// longshore.host.v1.Csi where there is no driver, or one that says nothing. What drivers answer:
// tests/integration/livenessprobe_test.cc.
#include "csi/csi_service.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <catch2/catch.hpp>
#include <fstream>

#include "longshore/host/csi.pb.h"
#include "tests/support/eventually.h"
#include "tests/support/host_service_world.h"
#include "tests/support/temporary_directory.h"

namespace longshore::csi {
namespace {

using namespace std::chrono_literals;
using Local = boost::asio::local::stream_protocol;

constexpr const char* kCall = "longshore.host.v1.Csi/Call";

struct CsiWorld {
  CsiWorld() { world.serve(service); }
  ~CsiWorld() {
    world.end_calls();
    service->stop();
  }

  static std::string request(const std::string& address, bool fresh = false,
                             const std::string& method = "csi.v1.Identity/Probe") {
    host::v1::CsiCallRequest request;
    request.set_address(address);
    request.set_method(method);
    request.set_fresh_connection(fresh);
    return request.SerializeAsString();
  }

  test::TemporaryDirectory folder;
  const std::string path = folder / "csi.sock";
  test::HostServiceWorld world;
  const std::shared_ptr<CsiService> service = CsiService::make().value();
};

// Somebody who listens, and neither accepts nor answers.
struct SilentDriver {
  explicit SilentDriver(const std::string& path) : acceptor(io, Local::endpoint(path)) {}
  size_t connections() {
    acceptor.non_blocking(true);
    size_t count = 0;
    for (;; ++count) {
      boost::system::error_code error;
      accepted.emplace_back(io);
      acceptor.accept(accepted.back(), error);
      if (error) return count;
    }
  }

  boost::asio::io_context io;
  Local::acceptor acceptor;
  std::vector<Local::socket> accepted;
};

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != text.npos;
}

}  // namespace

TEST_CASE_METHOD(CsiWorld, "An address or method that is none is refused with a sentence") {
  for (const std::string address : {"", "csi.sock", "127.0.0.1:50051", "unix:csi.sock"}) {
    const auto refused = world.ask(kCall, request(address));
    CHECK(refused->code() == StatusCode::kInvalidArgument);
    CHECK(contains(refused->text(), "it is not the absolute path of a Unix socket; write it as"));
  }
  const auto too_long = world.ask(kCall, request("unix:/" + std::string(107, 'x')));
  CHECK(contains(too_long->text(), "its path has 108 bytes"));
  for (const std::string method : {"", "Probe", "/csi.v1.Identity/Probe", "csi.v1.Identity/",
                                   "csi.v1/Identity/Probe", "csi.v1.Identity/Pro be"}) {
    CHECK(world.ask(kCall, request(path, false, method))->code() == StatusCode::kInvalidArgument);
  }
  const std::string identity = "longshore.host.v1.Csi/CallIdentity";
  CHECK(world.ask(identity, request(path))->code() == StatusCode::kUnavailable);
  CHECK(
      contains(world.ask(identity, request(path, false, "csi.v1.Controller/DeleteVolume"))->text(),
               "it is not of csi.v1.Identity"));
  CHECK(world.ask(kCall, "\xff\xff")->code() == StatusCode::kInvalidArgument);
}

TEST_CASE_METHOD(CsiWorld, "Where nobody listens a call fails at once, and says what is there") {
  const std::string cannot = "cannot connect to the CSI driver at \"" + path + "\": ";
  for (const bool fresh : {false, true}) {
    for (const std::string prefix : {"", "unix:", "unix://"}) {
      const auto absent = world.ask(kCall, request(prefix + path, fresh));
      CHECK(absent->code() == StatusCode::kUnavailable);
      CHECK(absent->text() == cannot +
                                  "No such file or directory; see whether the driver runs, and "
                                  "makes its socket there");
    }
  }
  std::ofstream(path) << "a file";
  CHECK(contains(world.ask(kCall, request(path, true))->text(), "it is no socket"));
  // The connection that calls share pauses, and then finds what is there now.
  CHECK(test::eventually(
      [&] { return contains(world.ask(kCall, request(path))->text(), "it is no socket"); }));
}

TEST_CASE_METHOD(CsiWorld, "Calls of a driver that is silent end at their deadline, and at once") {
  SilentDriver driver(path);
  for (const bool fresh : {false, true}) {
    const auto late = world.ask(kCall, request(path, fresh), "one", 50ms);
    CHECK(late->code() == StatusCode::kDeadlineExceeded);
    const auto cancelled = std::make_shared<router::Recorder>();
    const auto call = world.call(kCall, request(path, fresh), cancelled);
    REQUIRE(call);
    call->cancel();
    CHECK(call->is_over());
    CHECK(cancelled->code() == StatusCode::kCancelled);
  }
}

TEST_CASE_METHOD(CsiWorld, "Calls share a connection unless they ask for one of their own") {
  SilentDriver driver(path);
  std::vector<std::shared_ptr<router::Recorder>> waiting;
  for (const bool fresh : {false, false, false, true, true}) {
    world.call(kCall, request(path, fresh), waiting.emplace_back(new router::Recorder));
  }
  size_t connections = 0;
  CHECK(test::eventually([&] { return (connections += driver.connections()) >= 3; }));
  world.ask(kCall, request(path), "one", 50ms);
  CHECK(connections + driver.connections() == 3);
}

TEST_CASE_METHOD(CsiWorld, "There is a bound for calls, and the end of the service ends them") {
  SilentDriver driver(path);
  std::vector<std::shared_ptr<router::Recorder>> waiting;
  for (size_t i = 0; i < CsiService::kMaxCalls; ++i) {
    world.call(kCall, request(path), waiting.emplace_back(new router::Recorder));
  }
  CHECK(world.ask(kCall, request(path))->code() == StatusCode::kResourceExhausted);
  service->stop();
  for (const auto& each : waiting) CHECK(each->code() == StatusCode::kUnavailable);
  CHECK(world.ask(kCall, request(path))->code() == StatusCode::kUnavailable);
}

}  // namespace longshore::csi
