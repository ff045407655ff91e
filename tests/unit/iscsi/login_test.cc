// Logins that others meet, or that meet others': another's session, a record that changes or goes.
#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <thread>

#include "tests/support/eventually.h"
#include "tests/support/read_file.h"
#include "tests/unit/iscsi/connected_node.h"

namespace longshore::iscsi {
namespace {

namespace fs = std::filesystem;

TEST_CASE("a login that meets another's is success only if the other's is") {
  Connected node;
  REQUIRE(node.backend().discover(the_target().portal, {}));
  node.open_iscsi().answer("exists");
  const std::string session = node.open_iscsi().sysfs() + "/class/iscsi_session/session1";
  const bool succeeds = GENERATE(true, false);
  CAPTURE(succeeds);
  std::thread other([&] {
    // The whole text, which is the last that the stand-in writes of a session.
    test::eventually([&] { return test::read_file(session + "/state") == "FREE\n"; });
    if (succeeds) test::write_file(session + "/state", "LOGGED_IN\n");
    if (!succeeds) fs::remove_all(session);
  });
  const Result<void> connected = node.connect(chap());
  other.join();
  CHECK(connected.ok() == succeeds);
  if (!succeeds) CHECK(connected.error().code() == StatusCode::kUnavailable);
  CHECK_FALSE(node.open_iscsi().has_anywhere(kNodeSecret));
}

TEST_CASE("secrets are forgotten also if open-iscsi has rewritten the record meanwhile") {
  const bool succeeds = GENERATE(true, false);
  CAPTURE(succeeds);
  Connected node({.username = "node", .secret = kNodeSecret, .own_secret = kTargetSecret});
  REQUIRE(node.backend().discover(the_target().portal, {}));
  node.open_iscsi().answer("forget");
  CHECK(node.connect(mutual_chap(succeeds ? kTargetSecret : "wrong-secret-1")).ok() == succeeds);
  for (const char* secret : {kNodeSecret, kTargetSecret, "wrong-secret-1"}) {
    CHECK_FALSE(node.open_iscsi().has_anywhere(secret));
  }
  CHECK(node.open_iscsi().has_anywhere("node.session.auth.username = node"));
}

TEST_CASE("a lock that a killed iscsiadm left keeps nobody from discovering and connecting") {
  Connected node;
  IscsiBackendLinux::Options options = node.open_iscsi().options();
  options.lock_patience = std::chrono::milliseconds(50);
  IscsiBackendLinux backend(options);
  const std::string link = node.open_iscsi().path("lock/lock.write");
  fs::create_directory(node.open_iscsi().path("lock"));
  test::write_file(link, "");
  REQUIRE(backend.discover(the_target().portal, {}));
  CHECK_FALSE(fs::exists(link));
  test::write_file(link, "");
  REQUIRE(backend.connect(the_target(), {}, {}));
  CHECK_FALSE(fs::exists(link));
}

TEST_CASE("a record that goes while it is logged in by is to be tried again") {
  Connected node;
  REQUIRE(node.backend().discover(the_target().portal, {}));
  node.open_iscsi().answer("21");
  CHECK(node.connect({}).error().code() == StatusCode::kUnavailable);
}

TEST_CASE("a connected target's record loses the secrets that a killed agent left") {
  Connected node;
  REQUIRE(node.connect({}));
  const std::string record = node.open_iscsi().record_of(the_target());
  const NodeRecords records(node.open_iscsi().database(), node.open_iscsi().path("lock"));
  REQUIRE(records.write({the_target().portal, record}, the_target().portal,
                        {{"node.session.auth.password", kNodeSecret}}, true));
  CHECK(node.open_iscsi().has_anywhere(kNodeSecret));
  CHECK(node.connect({}));
  CHECK_FALSE(node.open_iscsi().has_anywhere(kNodeSecret));
}

TEST_CASE("a session that lost its connection is not success") {
  Connected node;
  REQUIRE(node.connect({}));
  const std::string state = node.open_iscsi().sysfs() + "/class/iscsi_session/session1/state";
  test::write_file(state, "FAILED\n");
  CHECK(node.connect({}).error().code() == StatusCode::kUnavailable);
  std::thread kernel([&] { test::write_file(state, "LOGGED_IN\n"); });
  CHECK(node.connect({}));
  kernel.join();
}

}  // namespace
}  // namespace longshore::iscsi
