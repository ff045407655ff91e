// How the Linux backend uses open-iscsi: which programs it starts with which arguments, in which
// order, what it makes of their ends, and what is in files meanwhile.
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <thread>

#include "iscsi/linux/exit_codes.h"
#include "longshore/linux/file_descriptor.hpp"
#include "tests/support/eventually.h"
#include "tests/support/read_file.h"
#include "tests/unit/iscsi/connected_node.h"

namespace longshore::iscsi {
namespace {

namespace fs = std::filesystem;

TEST_CASE("each step is one run of iscsiadm, with these arguments") {
  Connected node({.username = "node", .secret = kNodeSecret});
  const std::string portal = "-m|discoverydb|-t|sendtargets|-p|192.0.2.1:3260|";
  const std::string record =
      "-m|node|-T|iqn.2001-04.org.example:disks|-p|192.0.2.1:3260|-I|default|";
  using Calls = std::vector<std::string>;
  CHECK(node.new_calls() ==
        Calls{portal + "-I|default|-o|nonpersistent|--discover", portal + "-o|new"});
  REQUIRE(node.backend().add_portal(the_target().portal, {}));
  CHECK(node.new_calls().empty());
  const std::string discovery = portal + "-I|default|-o|new|-o|delete|--discover";
  REQUIRE(node.backend().discover(the_target().portal, {}));
  CHECK(node.new_calls() == Calls{discovery});
  REQUIRE(node.connect(chap()));
  CHECK(node.new_calls() == Calls{record + "--login"});
  REQUIRE(node.connect(chap()));
  REQUIRE(node.backend().disks(the_target(), {}));
  CHECK(node.new_calls().empty());
  REQUIRE(node.disconnect());
  CHECK(node.new_calls() == Calls{"-m|session|-r|1|--logout", record + "-o|delete"});
  REQUIRE(node.disconnect());
  CHECK(node.new_calls().empty());
  // The record went with the connection: the portal is asked for it.
  REQUIRE(node.connect(chap()));
  CHECK(node.new_calls() == Calls{discovery, record + "--login"});
  REQUIRE(node.backend().remove_portal(the_target().portal, {}));
  CHECK(node.new_calls() == Calls{portal + "-o|delete"});
}

TEST_CASE("secrets are in no argument, and in no file when the login is over") {
  const bool succeeds = GENERATE(true, false);
  CAPTURE(succeeds);
  Connected node({.username = "node", .secret = kNodeSecret, .own_secret = kTargetSecret});
  const Login login = mutual_chap(succeeds ? kTargetSecret : "wrong-secret-1");
  CHECK(node.connect(login).ok() == succeeds);
  for (const char* secret : {kNodeSecret, kTargetSecret, "wrong-secret-1"}) {
    CHECK_FALSE(node.open_iscsi().has_anywhere(secret));
  }
  CHECK(node.open_iscsi().has_anywhere("node.session.auth.username = node"));
}

TEST_CASE("a login's record has what it needs and nothing of another login") {
  Connected node;
  REQUIRE(node.connect({}));
  std::ifstream file(node.open_iscsi().record_of(the_target()));
  const std::string record{std::istreambuf_iterator<char>(file), {}};
  CHECK(record ==
        "# Longshore: connected through 192.0.2.1:3260\n"
        "# BEGIN RECORD 2.1.8\nnode.name = iqn.2001-04.org.example:disks\nnode.tpgt = 1\n"
        "iface.iscsi_ifacename = default\nnode.session.timeo.replacement_timeout = 120\n"
        "node.conn[0].address = 192.0.2.1\nnode.conn[0].port = 3260\n"
        "node.startup = manual\nnode.conn[0].startup = manual\n"
        "node.session.initial_login_retry_max = 1\nnode.conn[0].timeo.login_timeout = 1\n"
        "node.session.auth.authmethod = None\n# END RECORD\n");
}

TEST_CASE("a record that was cut short is made anew") {
  Connected node;
  const std::string record = node.open_iscsi().record_of(the_target());
  const std::string text = GENERATE("", "# BEGIN RECORD 2.1.8\nnode.na",
                                    "# BEGIN RECORD 2.1.8\nnode.name = iqn.2001-04.org.example:d");
  CAPTURE(text);
  REQUIRE(node.backend().discover(the_target().portal, {}));
  test::write_file(record, text);
  REQUIRE(node.connect({}));
  REQUIRE(node.disconnect());
  CHECK_FALSE(fs::exists(record));
}

TEST_CASE("ends of iscsiadm become codes and sentences with advice") {
  const auto [exit_code, status, word] = GENERATE(table<int, StatusCode, std::string>({
      {1, StatusCode::kInternal, "journalctl"},
      {4, StatusCode::kUnavailable, "cannot be reached"},
      {6, StatusCode::kInternal, "/run/lock/iscsi"},
      {8, StatusCode::kUnavailable, "in time"},
      {11, StatusCode::kUnavailable, "stopped answering"},
      {12, StatusCode::kFailedPrecondition, "iscsi_tcp"},
      {13, StatusCode::kPermissionDenied, "root"},
      {18, StatusCode::kUnavailable, "iscsid"},
      {20, StatusCode::kUnavailable, "systemctl start iscsid"},
      {24, StatusCode::kUnauthenticated, "CHAP"},
      {28, StatusCode::kFailedPrecondition, "in use"},
      {99, StatusCode::kInternal, "99"},
      {137, StatusCode::kInternal, "137"},
  }));
  const Error error = error_of_exit_code(exit_code, "connect to the target", "t", "iscsiadm: why");
  CHECK(error.code() == status);
  CHECK_THAT(error.message(), Catch::Contains(word) && Catch::Contains("iscsiadm: why"));

  Connected node;
  node.open_iscsi().answer(std::to_string(exit_code));
  const Result<void> connected = node.connect({});
  REQUIRE_FALSE(connected);
  CHECK(connected.error().code() == status);
}

TEST_CASE(
    "a login that was refused for good is UNAUTHENTICATED where the target had to prove itself") {
  Connected node;
  REQUIRE(node.backend().discover(the_target().portal, {}));
  node.open_iscsi().answer("19");
  CHECK(node.connect(chap()).error().code() == StatusCode::kFailedPrecondition);
  const Result<void> refused = node.connect(mutual_chap());
  CHECK(refused.error().code() == StatusCode::kUnauthenticated);
  CHECK_THAT(refused.error().message(), Catch::Contains("SetMutualChapSecret"));
}

TEST_CASE("an iscsiadm that is not there, or is no program, is told") {
  Connected node;
  IscsiBackendLinux::Options options = node.open_iscsi().options();
  options.iscsiadm = node.open_iscsi().path("none");
  const Result<void> refused = IscsiBackendLinux(options).connect(the_target(), {}, {});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code() == StatusCode::kFailedPrecondition);
  CHECK_THAT(refused.error().message(), Catch::Contains("open-iscsi"));
  options.iscsiadm = node.open_iscsi().path("calls");
  CHECK(IscsiBackendLinux(options).connect(the_target(), {}, {}).error().code() ==
        StatusCode::kPermissionDenied);
}

TEST_CASE("a portal without targets is added and has none, if the kernel could ask it") {
  OpenIscsiStandIn open_iscsi;
  test::write_file(open_iscsi.path("portals/192.0.2.1,3260"), "");
  IscsiBackendLinux backend(open_iscsi.options());
  const Portal portal{"192.0.2.1", 3260};
  fs::remove(open_iscsi.sysfs() + "/class/iscsi_transport/tcp");
  const Result<void> refused = backend.add_portal(portal, {});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code() == StatusCode::kFailedPrecondition);
  CHECK_THAT(refused.error().message(), Catch::Contains("iscsi_tcp"));
  fs::create_directory(open_iscsi.sysfs() + "/class/iscsi_transport/tcp");
  REQUIRE(backend.add_portal(portal, {}));
  CHECK(backend.discover(portal, {})->empty());
}

TEST_CASE("what a portal answers is believed only where it is a target's name") {
  OpenIscsiStandIn open_iscsi;
  test::write_file(open_iscsi.path("portals/192.0.2.1,3260"),
                   "iqn.2001-04.org.example:b\n--login\n../../etc\n\niqn.2001-04.org.example:a\n"
                   "iqn.2001-04.org.example:b\n");
  IscsiBackendLinux backend(open_iscsi.options());
  const auto targets = backend.add_portal({"192.0.2.1", 3260}, {})
                           ? backend.discover({"192.0.2.1", 3260}, {})
                           : Error(StatusCode::kInternal, "add the portal");
  REQUIRE(targets);
  CHECK(*targets ==
        std::vector<std::string>{"iqn.2001-04.org.example:b", "iqn.2001-04.org.example:a"});
}

TEST_CASE("disks that the kernel still makes are waited for") {
  Connected node({.disks = 2});
  REQUIRE(node.connect({}));
  const fs::path disk = fs::path(node.open_iscsi().sysfs()) /
                        "class/iscsi_session/session1/device/target0:0:1/0:0:1:1/block/sdbb";
  const bool is_shown = GENERATE(false, true);  // before it can be opened
  CAPTURE(is_shown);
  REQUIRE(fs::remove(disk / "bdi"));
  if (!is_shown) REQUIRE(fs::remove(disk));
  std::thread kernel([&] {
    fs::create_directory(disk);
    fs::create_symlink("../bdi/65535:101", disk / "bdi");
  });
  const auto disks = node.backend().disks(the_target(), {});
  kernel.join();
  REQUIRE(disks);
  CHECK(*disks == std::vector<uint32_t>{100, 101});
}

TEST_CASE("a session for whose units nobody asked is scanned, by each ConnectTarget") {
  Connected node({.disks = 0});
  const std::string scan =
      node.open_iscsi().sysfs() + "/class/iscsi_session/session1/scsi_host/host0/scan";
  for (int round = 0; round < 2; ++round) {
    CAPTURE(round);
    REQUIRE(node.connect({}));
    CHECK(test::read_file(scan) == "- - -\n");
    test::write_file(scan, "");
  }
}

TEST_CASE("a session that has units, or lost its target, is not scanned") {
  const bool is_lost = GENERATE(false, true);
  CAPTURE(is_lost);
  Connected node({.disks = is_lost ? 0 : 1});
  REQUIRE(node.connect({}));
  const std::string session = node.open_iscsi().sysfs() + "/class/iscsi_session/session1";
  if (is_lost) test::write_file(session + "/state", "FAILED\n");
  test::write_file(session + "/scsi_host/host0/scan", "");
  CHECK(node.connect({}).ok() == !is_lost);
  CHECK(test::read_file(session + "/scsi_host/host0/scan").empty());
}

TEST_CASE("a session that cannot be scanned stays, and ConnectTarget says so") {
  Connected node({.disks = 0});
  REQUIRE(node.connect({}));
  const fs::path host = node.open_iscsi().sysfs() + "/class/iscsi_session/session1/scsi_host/host0";
  REQUIRE(fs::remove(host / "scan"));
  CHECK(node.connect({}));  // the session is about to end
  fs::create_directory(host / "scan");
  const Result<void> unscanned = node.connect({});
  REQUIRE_FALSE(unscanned);
  CHECK_THAT(unscanned.error().message(), Catch::Contains("scan") && Catch::Contains("/sys"));
  CHECK(fs::exists(host));
}

TEST_CASE("a scan that the target does not answer is waited for no longer than the call may take") {
  Connected node({.disks = 0});
  REQUIRE(node.connect({}));
  const fs::path scan =
      node.open_iscsi().sysfs() + "/class/iscsi_session/session1/scsi_host/host0/scan";
  REQUIRE(fs::remove(scan));
  REQUIRE(::mkfifo(scan.c_str(), 0600) == 0);  // hangs who writes until somebody reads
  const auto connect = [&](const Deadline& deadline) {
    return node.backend().connect(the_target(), {}, deadline);
  };
  CHECK(connect(Deadline().within(std::chrono::milliseconds(20))).error().code() ==
        StatusCode::kDeadlineExceeded);
  // Others are told at once, and hang no thread of their own.
  const Result<void> refused = connect({});
  CHECK(refused.error().code() == StatusCode::kUnavailable);
  CHECK_THAT(refused.error().message(), Catch::Contains("has not answered an earlier scan"));
  const FileDescriptor reader(::open(scan.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  REQUIRE(reader);
  CHECK(test::eventually([&] { return connect({}).ok(); }));
}

TEST_CASE("a call that is over does not wait for disks") {
  Connected node({.disks = 0});
  REQUIRE(node.connect({}));
  Deadline over;
  over.time = Deadline::Clock::now();
  CHECK(node.backend().disks(the_target(), over).error().code() == StatusCode::kDeadlineExceeded);
  CHECK(node.backend().disks(the_target(), {})->empty());
}

TEST_CASE("a session that lost its connection since it is ending is waited for") {
  Connected node;
  REQUIRE(node.connect({}));
  node.open_iscsi().answer("ending");
  CHECK(node.disconnect());
}

TEST_CASE("a logout that open-iscsi has not done is no success") {
  Connected node;
  REQUIRE(node.connect({}));
  node.open_iscsi().answer("10");
  CHECK(node.disconnect().error().code() == StatusCode::kInternal);
  node.open_iscsi().answer("");
  CHECK(node.disconnect());
  CHECK(node.disconnect());
}

}  // namespace
}  // namespace longshore::iscsi
