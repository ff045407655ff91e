// longshore.host.v1.Csi where there is no driver, or one that says nothing. What drivers answer:
// tests/integration/livenessprobe_test.cc.
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/eventually.h"
#include "tests/unit/csi/csi_world.h"

namespace longshore::csi {
namespace {

using namespace std::chrono_literals;
constexpr const char* kCall = "longshore.host.v1.Csi/Call";

// Nobody's, while it lasts: root is kept out of nothing. Others close the folder to themselves.
class OtherUser {
 public:
  explicit OtherUser(const std::string& folder) : folder_(folder) {
    if (::geteuid() == 0) {
      REQUIRE(::seteuid(65534) == 0);
    } else {
      std::filesystem::permissions(folder_, std::filesystem::perms::none);
    }
  }
  ~OtherUser() {
    if (::getuid() == 0) CHECK(::seteuid(0) == 0);
    std::filesystem::permissions(folder_, std::filesystem::perms::owner_all);
  }
  OtherUser(const OtherUser&) = delete;
  OtherUser& operator=(const OtherUser&) = delete;

 private:
  const std::filesystem::path folder_;
};

}  // namespace

TEST_CASE_METHOD(CsiWorld, "An address or method that is none is refused with a sentence") {
  for (const std::string address : {"", "csi.sock", "unix:csi.sock", "file:///csi.sock"}) {
    const auto refused = world.ask(kCall, request(address));
    CHECK(refused->code() == StatusCode::kInvalidArgument);
    CHECK(contains(refused->text(), "it is not the absolute path of a Unix socket; write it as"));
  }
  for (const std::string address : {"127.0.0.1:50051", "[::1]:50051", "tcp://csi/csi.sock"}) {
    CHECK(
        contains(world.ask(kCall, request(address))->text(),
                 "it is a TCP address, and drivers are called by Unix sockets alone; write it as"));
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

TEST_CASE_METHOD(CsiWorld, "A socket of the agent's own is not called, whatever path leads there") {
  boost::asio::io_context io;
  const Local::acceptor own(io, Local::endpoint(path));
  const std::string link = folder / "link.sock";
  std::filesystem::create_symlink(path, link);
  for (const std::string& at : {path, link}) {
    for (const bool fresh : {false, true}) {
      for (const char* const method : {kCall, "longshore.host.v1.Csi/CallIdentity"}) {
        const auto refused = world.ask(method, request(at, fresh), "one", 5s);
        CHECK(refused->code() == StatusCode::kPermissionDenied);
        CHECK(contains(refused->text(), "\"" + at + "\": the agent itself listens there"));
      }
    }
  }
}

TEST_CASE_METHOD(CsiWorld, "Methods of other packages are refused, driver or not") {
  const SilentDriver driver(path);
  for (const std::string method : {"longshore.admin.v1.Admin/Reload", "csi.v1/Call",
                                   "csi.v10.Identity/Probe", "grpc.health.v1.Health/Check"}) {
    for (const std::string& at : {path, folder / "absent.sock"}) {
      const auto refused = world.ask(kCall, request(at, false, method), "one", 5s);
      CHECK(refused->code() == StatusCode::kPermissionDenied);
      CHECK(contains(refused->text(), "controllers call methods of csi.v1 alone"));
    }
  }
}

TEST_CASE_METHOD(CsiWorld, "Where nobody listens a call fails at once, and says what is there") {
  const std::string cannot = "cannot connect to the CSI driver at \"" + path + "\": ";
  for (const bool fresh : {false, true}) {
    for (const std::string prefix : {"", "unix:", "unix://"}) {
      const auto absent = world.ask(kCall, request(prefix + path, fresh));
      CHECK(absent->code() == StatusCode::kUnavailable);
      CHECK(absent->text() == cannot +
                                  "No such file or directory; see whether the driver runs and "
                                  "makes its socket there; in a Pod, its container and this one "
                                  "mount the socket's folder by one emptyDir or hostPath");
    }
  }
  std::ofstream(path) << "a file";
  CHECK(contains(world.ask(kCall, request(path, true))->text(), "it is no socket"));
  // The connection that calls share pauses, and then finds what is there now.
  CHECK(test::eventually(
      [&] { return contains(world.ask(kCall, request(path))->text(), "it is no socket"); }));
}

TEST_CASE_METHOD(CsiWorld, "A folder in the socket's place is told of, and one that keeps out") {
  std::filesystem::create_directory(path);
  CHECK(contains(world.ask(kCall, request(path, true))->text(),
                 "Connection refused; it is a folder: csi_address, of csi-sidecars the flag "
                 "--csi-address, has to name the socket in it"));
  std::filesystem::remove(path);
  const SilentDriver driver(path);
  const OtherUser user(folder / "");
  CHECK(contains(world.ask(kCall, request(path, true))->text(),
                 "Permission denied; the socket is for other users: run this process as"));
}

TEST_CASE_METHOD(CsiWorld, "A driver that accepts no connection any more is told of") {
  SilentDriver driver(path, 0);
  world.ask(kCall, request(path, true), "one", 50ms);  // fills the queue
  const auto refused = world.ask(kCall, request(path, true));
  CHECK(refused->code() == StatusCode::kUnavailable);
  CHECK(contains(refused->text(),
                 "Resource temporarily unavailable; too many wait there to be "
                 "accepted: see whether the driver hangs"));
}

TEST_CASE_METHOD(CsiWorld, "A link to the driver's socket is followed; one to nothing is told of") {
  std::filesystem::create_symlink("driver.sock", path);
  CHECK(contains(world.ask(kCall, request(path, true))->text(),
                 "No such file or directory; it is a link to what is not there; in a Pod its"));
  SilentDriver driver(folder / "driver.sock");
  world.ask(kCall, request(path, true), "one", 50ms);
  CHECK(driver.connections() == 1);
}

TEST_CASE_METHOD(CsiWorld, "Calls are counted by driver, method and code") {
  world.ask(kCall, request(path, true));
  SilentDriver driver(path);
  world.ask(kCall, request(path, true), "one", 50ms);
  const auto cancelled = std::make_shared<router::Recorder>();
  world.call(kCall, request(path, true, "csi.v1.Node/NodeGetInfo"), cancelled)->cancel();
  world.ask(kCall, request("nonsense"));  // which is no call of a driver
  observe::StatusReport report;
  REQUIRE(test::eventually([&] {
    service->add_to(report);
    return report.csi_calls.size() == 3;
  }));
  const auto is = [&](size_t at, const std::string& method, StatusCode code) {
    const observe::CsiCallSeries& series = report.csi_calls.at(at);
    return series.driver == "unknown-driver" && series.method == method && series.code == code;
  };
  CHECK(is(0, "/csi.v1.Identity/Probe", StatusCode::kDeadlineExceeded));
  CHECK(is(1, "/csi.v1.Identity/Probe", StatusCode::kUnavailable));
  CHECK(is(2, "/csi.v1.Node/NodeGetInfo", StatusCode::kCancelled));
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
