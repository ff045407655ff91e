// Portals that are a host's name: the node's name service says where they are, each time anew.
#include <atomic>
#include <catch2/catch.hpp>
#include <filesystem>
#include <future>

#include "tests/support/eventually.h"
#include "tests/unit/iscsi/connected_node.h"

namespace longshore::iscsi {
namespace {

namespace fs = std::filesystem;

TEST_CASE("a portal whose name has no address is not taken for one that is not connected") {
  Connected node;
  const Target nowhere{{"no-such-host.invalid", 3260}, the_target().name};
  CHECK(node.backend().disconnect(nowhere, {}).error().code() == StatusCode::kUnavailable);
}

TEST_CASE("a call that is over once a name is looked up does nothing") {
  OpenIscsiStandIn open_iscsi;
  const Target target{{"localhost", 3260}, the_target().name};
  open_iscsi.offer(target, {});
  IscsiBackendLinux backend(open_iscsi.options());
  REQUIRE(backend.add_portal(target.portal, {}));
  REQUIRE(backend.discover(target.portal, {}));
  const size_t calls = open_iscsi.calls().size();
  const auto cancelled_second = [asked = 0]() mutable { return ++asked > 1; };
  Deadline deadline;
  deadline.cancelled = cancelled_second;
  CHECK(backend.connect(target, {}, deadline).error().code() == StatusCode::kCancelled);
  deadline.cancelled = cancelled_second;
  CHECK(backend.disconnect(target, deadline).error().code() == StatusCode::kCancelled);
  deadline.cancelled = [] { return true; };
  CHECK(backend.disks(target, deadline).error().code() == StatusCode::kCancelled);
  CHECK(open_iscsi.calls().size() == calls);
}

TEST_CASE("a name server that says nothing is waited for no longer than the call may take") {
  OpenIscsiStandIn open_iscsi;
  std::promise<void> end;
  std::atomic<int> asked = 0;
  IscsiBackendLinux::Options options = open_iscsi.options();
  options.look_up = [&, held = end.get_future().share()](const std::string&) {
    ++asked;
    held.wait();
    return Addresses(std::vector<std::string>{"127.0.0.1"});
  };
  IscsiBackendLinux backend(options);
  const Target target{{"storage.example", 3260}, the_target().name};
  const auto deadline = Deadline().within(std::chrono::milliseconds(20));
  CHECK(backend.connect(target, {}, deadline).error().code() == StatusCode::kDeadlineExceeded);
  // Others are told at once, and hang no thread of their own.
  const Result<void> refused = backend.disconnect(target, {});
  CHECK(refused.error().code() == StatusCode::kUnavailable);
  CHECK_THAT(refused.error().message(), Catch::Contains("has not answered an earlier call"));
  CHECK(test::eventually([&] { return asked == 1; }));
  end.set_value();
  CHECK(test::eventually(
      [&] { return backend.disconnect(target, {}).error().code() != StatusCode::kUnavailable; }));
}

TEST_CASE("a portal is known by its host's name, and connected by an address of it") {
  OpenIscsiStandIn open_iscsi;
  const Target target{{"localhost", 3260}, the_target().name};
  open_iscsi.offer(target, {});
  IscsiBackendLinux backend(open_iscsi.options());
  REQUIRE(backend.add_portal(target.portal, {}));
  REQUIRE(backend.connect(target, {}, {}));
  // As if the target had named its address.
  test::write_file(open_iscsi.sysfs() + "/class/iscsi_connection/connection1:0/persistent_address",
                   "127.0.0.1\n");
  CHECK(backend.disks(target, {})->size() == 1);
  CHECK(backend.disks({{"127.0.0.1", 3260}, target.name}, {})->size() == 1);
  CHECK(backend.disks({{"127.0.0.2", 3260}, target.name}, {})->empty());
  CHECK(backend.disconnect(target, {}));
  CHECK(backend.disks(target, {})->empty());
}

// A target that was connected through a name whose address was another one then.
class MovedName {
 public:
  MovedName() {
    open_iscsi_.offer(target(), {});
    REQUIRE(backend_.add_portal(target().portal, {}));
    REQUIRE(backend_.connect(target(), {}, {}));
    move_session(1, "192.0.2.1");
    fs::rename(fs::path(open_iscsi_.record_of(target())).parent_path(),
               fs::path(open_iscsi_.record_of(through("192.0.2.1"))).parent_path());
    calls_ = open_iscsi_.calls().size();
  }

  static Target target() { return through("localhost"); }
  static Target through(const std::string& address) { return {{address, 3260}, the_target().name}; }

  IscsiBackendLinux& backend() { return backend_; }
  const OpenIscsiStandIn& open_iscsi() const { return open_iscsi_; }
  std::vector<std::string> new_calls() const {
    const std::vector<std::string> calls = open_iscsi_.calls();
    return {calls.begin() + static_cast<std::ptrdiff_t>(calls_), calls.end()};
  }
  bool has_session(int number) const {
    return fs::exists(open_iscsi_.sysfs() + "/class/iscsi_session/session" +
                      std::to_string(number));
  }
  // Another connection to the same target, of which the name knows nothing.
  void add_session(int number, const std::string& address) const {
    const fs::path sessions = open_iscsi_.sysfs() + "/class/iscsi_session/";
    fs::copy(sessions / "session1", sessions / ("session" + std::to_string(number)),
             fs::copy_options::recursive | fs::copy_options::copy_symlinks);
    const fs::path connections = open_iscsi_.sysfs() + "/class/iscsi_connection/";
    fs::copy(connections / "connection1:0",
             connections / ("connection" + std::to_string(number) + ":0"));
    move_session(number, address);
  }

 private:
  void move_session(int number, const std::string& address) const {
    test::write_file(open_iscsi_.sysfs() + "/class/iscsi_connection/connection" +
                         std::to_string(number) + ":0/persistent_address",
                     address + "\n");
  }

  OpenIscsiStandIn open_iscsi_;
  IscsiBackendLinux backend_{open_iscsi_.options()};
  size_t calls_ = 0;
};

TEST_CASE("what was connected through a name is found when the name has another address") {
  MovedName node;
  node.add_session(2, "192.0.2.2");
  CHECK(node.backend().disks(MovedName::target(), {})->size() == 1);
  REQUIRE(node.backend().connect(MovedName::target(), {}, {}));
  CHECK(node.new_calls().empty());
  REQUIRE(node.backend().disconnect(MovedName::target(), {}));
  CHECK(node.new_calls() ==
        std::vector<std::string>{"-m|session|-r|1|--logout",
                                 "-m|node|-T|iqn.2001-04.org.example:disks|-p|192.0.2.1:3260|"
                                 "-I|default|-o|delete"});
  CHECK_FALSE(node.has_session(1));
  CHECK(node.has_session(2));
  CHECK_FALSE(fs::exists(node.open_iscsi().record_of(MovedName::through("192.0.2.1"))));
  REQUIRE(node.backend().disconnect(MovedName::target(), {}));
  CHECK(node.new_calls().size() == 2);
  CHECK(node.has_session(2));
}

TEST_CASE("a new connection through a name goes to the address that it has now") {
  MovedName node;
  // Somebody else ended the session; the record is left.
  fs::remove_all(node.open_iscsi().sysfs() + "/class/iscsi_session/session1");
  CHECK(node.backend().disks(MovedName::target(), {})->empty());
  REQUIRE(node.backend().connect(MovedName::target(), {}, {}));
  CHECK(node.new_calls().back() ==
        "-m|node|-T|iqn.2001-04.org.example:disks|-p|localhost:3260|-I|default|--login");
  REQUIRE(node.backend().disconnect(MovedName::target(), {}));
  CHECK_FALSE(fs::exists(node.open_iscsi().record_of(MovedName::target())));
  CHECK_FALSE(fs::exists(node.open_iscsi().record_of(MovedName::through("192.0.2.1"))));
}

TEST_CASE("another portal's connection is not taken for one through the name") {
  MovedName node;
  const std::string record = node.open_iscsi().record_of(MovedName::through("192.0.2.1"));
  // As open-iscsi leaves it when an administrator changes it.
  test::write_file(record, "node.name = iqn.2001-04.org.example:disks\n");
  CHECK(node.backend().disks(MovedName::target(), {})->empty());
  REQUIRE(node.backend().disconnect(MovedName::target(), {}));
  CHECK(node.new_calls().empty());
  CHECK(node.has_session(1));
}

}  // namespace
}  // namespace longshore::iscsi
