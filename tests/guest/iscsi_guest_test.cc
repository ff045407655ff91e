// The iscsi group on a real kernel: open-iscsi against LIO on loopback. The suite that the fake
// passes, and what only a kernel can show.
//
// Runs inside a guest, as root, with iscsid running.
#include <signal.h>
#include <sys/mount.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "disk/linux/disk_backend_linux.h"
#include "iscsi/iscsi_service.h"
#include "iscsi/linux/iscsi_backend_linux.h"
#include "support/linux/block/disk_names.h"
#include "support/linux/command.h"
#include "tests/guest/lio_target.h"
#include "tests/support/eventually.h"
#include "tests/support/read_file.h"
#include "tests/support/temporary_directory.h"
#include "tests/unit/iscsi/target_setup.h"

namespace longshore::iscsi {
namespace {

namespace fs = std::filesystem;
using test::eventually;

// A program of the guest's that must succeed.
void run(const std::vector<std::string>& arguments) {
  const auto end = support::run_command(arguments, {});
  REQUIRE(end);
  INFO(arguments.front() << ": " << end->complaint);
  REQUIRE(end->exit_code == 0);
}

class GuestWorld {
 public:
  explicit GuestWorld(const TargetSetup& setup) : lio_(setup) {}
  ~GuestWorld() {
    end_use();
    static_cast<void>(service_.disconnect(portal(), target(), {}));
    static_cast<void>(service_.remove_portal(portal(), {}));
  }

  test::LioTarget& lio() { return lio_; }
  disk::DiskBackend& node_disks() { return disks_; }
  IscsiService& service() { return service_; }
  PortalRequest portal() const { return {test::LioTarget::kAddress, 0}; }
  PortalRequest silent_portal() const { return {test::LioTarget::kAddress, 3999}; }
  std::string target() const { return lio_.name(); }

  // By what sysfs calls the session, read here by itself.
  bool is_connected() const { return !session().empty(); }
  std::string state() const { return attribute(session() + "/state"); }

  void begin_use() {
    const std::string node = "/dev/" + first_disk();
    run({"/sbin/mkfs.ext4", "-q", "-F", node});
    REQUIRE(::mount(node.c_str(), mount_point().c_str(), "ext4", 0, nullptr) == 0);
    is_mounted_ = true;
  }
  void end_use() {
    if (std::exchange(is_mounted_, false)) CHECK(::umount2(mount_point().c_str(), 0) == 0);
  }
  std::string mount_point() const { return directory_.path(); }

  static bool database_has(const std::string& text) {
    for (const char* folder : {"/etc/iscsi", "/var/lib/iscsi"}) {
      if (!fs::exists(folder)) continue;
      for (const auto& entry : fs::recursive_directory_iterator(folder)) {
        if (!entry.is_regular_file()) continue;
        if (test::read_file(entry.path()).find(text) != std::string::npos) return true;
      }
    }
    return false;
  }

 private:
  static std::string attribute(const fs::path& path) {
    std::string line;
    std::ifstream file(path);
    std::getline(file, line);
    return line;
  }
  std::string session() const {
    std::error_code none;
    for (const auto& entry : fs::directory_iterator("/sys/class/iscsi_session", none)) {
      if (attribute(entry.path() / "targetname") == target()) return entry.path();
    }
    return {};
  }
  // "sda": the kernel's name of the disk with the session's first number.
  std::string first_disk() {
    const auto numbers = service_.disks(portal(), target(), {});
    REQUIRE(numbers);
    REQUIRE_FALSE(numbers->empty());
    for (const auto& entry : fs::directory_iterator("/sys/block")) {
      if (attribute(entry.path() / "diskseq") == std::to_string(numbers->front())) {
        return entry.path().filename();
      }
    }
    FAIL("no disk has the number");
    return {};
  }

  const test::TemporaryDirectory directory_;
  test::LioTarget lio_;
  disk::DiskBackendLinux disks_{{.disk_names = *block::DiskNames::from({"sd*"})}};
  IscsiBackendLinux backend_{{.login_timeout = std::chrono::seconds(5)}};
  IscsiService service_{"{iqn}", backend_};
  bool is_mounted_ = false;
};

using Worlds = std::tuple<GuestWorld>;

}  // namespace
}  // namespace longshore::iscsi

#include "tests/unit/iscsi/iscsi_suite.h"

namespace longshore::iscsi {
namespace {

using GuestNode = Node<GuestWorld>;

constexpr auto kOneWay = Authentication::kOneWayChap;

TEST_CASE("open-iscsi's database holds no secret once a login is over") {
  GuestNode node({.username = "node", .secret = kNodeSecret, .own_secret = kTargetSecret});
  REQUIRE(node.add());
  REQUIRE(node.service().set_mutual_secret(support::Secret::copy_of(kTargetSecret)));
  CHECK(outcome(node.connect(kOneWay, "node", "wrong-secret-1")) == "UNAUTHENTICATED");
  CHECK_FALSE(GuestWorld::database_has("wrong-secret-1"));
  CHECK(outcome(node.connect(Authentication::kMutualChap, "node", kNodeSecret)) == "OK");
  CHECK(GuestWorld::database_has("node.name = " + node.world().target()));
  CHECK_FALSE(GuestWorld::database_has(kNodeSecret));
  CHECK_FALSE(GuestWorld::database_has(kTargetSecret));
  CHECK(outcome(node.disconnect()) == "OK");
  CHECK_FALSE(GuestWorld::database_has("node.name = " + node.world().target()));
}

TEST_CASE("a portal that stopped listening is UNAVAILABLE, and the target comes later") {
  GuestNode node;
  REQUIRE(node.add());
  REQUIRE(node.discover());
  node.world().lio().close_portal();
  CHECK(outcome(node.connect()) == "UNAVAILABLE");
  CHECK_FALSE(node.world().is_connected());
}

TEST_CASE("a unit that is added, and one that grows, are seen after Rescan") {
  GuestNode node;
  REQUIRE(node.add());
  REQUIRE(node.connect());
  const std::vector<uint32_t> before = node.disks();
  REQUIRE(before.size() == 1);
  disk::DiskBackend& disks = node.world().node_disks();
  CHECK(*disks.size_in_bytes(before[0]) == test::LioTarget::kDiskBytes);

  node.world().lio().add_disk();
  REQUIRE(disks.rescan({}));
  CHECK(eventually([&] { return node.disks().size() == 2; }));

  node.world().lio().grow_disk(0, 2 * test::LioTarget::kDiskBytes);
  REQUIRE(disks.rescan({}));
  CHECK(eventually(
      [&] { return *disks.size_in_bytes(before[0]) == 2 * test::LioTarget::kDiskBytes; }));
}

// As administrators set it who want no disk on the node but those that they ask for.
class ManualScan {
 public:
  ManualScan() { test::write_file(kFile, before_ + "\nnode.session.scan = manual\n"); }
  ManualScan(const ManualScan&) = delete;
  ManualScan& operator=(const ManualScan&) = delete;
  ~ManualScan() { test::write_file(kFile, before_); }

 private:
  static constexpr const char* kFile = "/etc/iscsi/iscsid.conf";
  const std::string before_ = test::read_file(kFile);
};

TEST_CASE("a target's disks appear also where open-iscsi is not to scan for them") {
  const ManualScan manual;
  GuestNode node({.disks = 2});
  REQUIRE(node.add());
  REQUIRE(node.connect());
  CHECK(GuestWorld::database_has("node.session.scan = manual"));
  CHECK(node.disks().size() == 2);
}

TEST_CASE("a refusal to disconnect names the mount point") {
  GuestNode node;
  REQUIRE(node.add());
  REQUIRE(node.connect());
  node.world().begin_use();
  const Result<void> refused = node.disconnect();
  REQUIRE_FALSE(refused);
  CHECK_THAT(refused.error().message(), Catch::Contains(node.world().mount_point()));
  std::ofstream(node.world().mount_point() + "/file") << "still there";
  CHECK(fs::file_size(node.world().mount_point() + "/file") == 11);
  node.world().end_use();
  CHECK(outcome(node.disconnect()) == "OK");
}

// A host's name that leads to one address, until it goes.
class HostName {
 public:
  static constexpr const char* kName = "storage.example";

  explicit HostName(const std::string& address) { lead_to(address); }
  HostName(const HostName&) = delete;
  HostName& operator=(const HostName&) = delete;
  ~HostName() { test::write_file(kHosts, before_); }

  void lead_to(const std::string& address) const {
    test::write_file(kHosts, before_ + address + " " + kName + "\n");
  }

 private:
  static constexpr const char* kHosts = "/etc/hosts";
  const std::string before_ = test::read_file(kHosts);
};

TEST_CASE("what was connected through a name is found when the name leads elsewhere") {
  GuestWorld world({});
  const HostName name(test::LioTarget::kAddress);
  const PortalRequest portal{HostName::kName, 0};
  const auto connect = [&] {
    return world.service().connect({.portal = portal, .target = world.target()}, {});
  };
  REQUIRE(outcome(world.service().add_portal(portal, {})) == "OK");
  REQUIRE(outcome(connect()) == "OK");
  const auto before = world.service().disks(portal, world.target(), {});
  REQUIRE(before);
  CHECK(before->size() == 1);
  name.lead_to("127.0.0.9");
  CHECK(*world.service().disks(portal, world.target(), {}) == *before);
  CHECK(outcome(connect()) == "OK");
  CHECK(std::distance(fs::directory_iterator("/sys/class/iscsi_session"), {}) == 1);
  CHECK(outcome(world.service().disconnect(portal, world.target(), {})) == "OK");
  CHECK_FALSE(world.is_connected());
  CHECK_FALSE(GuestWorld::database_has("node.name = " + world.target()));
  CHECK(outcome(world.service().remove_portal(portal, {})) == "OK");
}

// Loses the target and brings it back; the node connects again by itself, with the secrets that are
// in no file any more.
void lose_and_find(GuestNode& node) {
  node.world().lio().set_enabled(false);
  CHECK(eventually([&] { return node.world().state() == "FAILED"; }));
  CHECK(outcome(node.connect(kOneWay, "node", kNodeSecret)) == "UNAVAILABLE");
  CHECK(node.world().is_connected());
  node.world().lio().set_enabled(true);
  CHECK(eventually([&] { return node.world().state() == "LOGGED_IN"; }));
  CHECK(outcome(node.connect(kOneWay, "node", kNodeSecret)) == "OK");
  CHECK(node.disks().size() == 1);
}

TEST_CASE("a target that was lost is found again by itself, with CHAP") {
  GuestNode node({.username = "node", .secret = kNodeSecret});
  REQUIRE(node.add());
  REQUIRE(node.connect(kOneWay, "node", kNodeSecret));
  lose_and_find(node);
}

TEST_CASE("a target is found again by an iscsid that was started anew, with CHAP") {
  std::ifstream pid_file("/run/iscsid.pid");
  pid_t iscsid = 0;
  if (fs::exists("/run/systemd/system") || !(pid_file >> iscsid) || iscsid <= 1) {
    WARN("SKIPPED: iscsid is not this guest's to start");
    return;
  }
  GuestNode node({.username = "node", .secret = kNodeSecret});
  REQUIRE(node.add());
  REQUIRE(node.connect(kOneWay, "node", kNodeSecret));
  REQUIRE(::kill(iscsid, SIGKILL) == 0);
  REQUIRE(eventually([&] { return ::kill(iscsid, 0) != 0; }));
  run({"/sbin/iscsid"});
  REQUIRE(eventually([&] { return node.service().discover(node.world().portal(), {}).ok(); }));
  lose_and_find(node);
}

}  // namespace
}  // namespace longshore::iscsi
