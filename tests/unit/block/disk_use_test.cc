#include "support/linux/block/disk_use.h"

#include <sys/mount.h>
#include <sys/stat.h>

#include <cstdio>

#include "tests/support/live_process.h"
#include "tests/support/other_namespace.h"
#include "tests/unit/block/loop_devices.h"

namespace longshore::block {
namespace {

using test::LoopDisk;

// The first partition or the whole of a disk, mounted in this program's own namespace.
class Mounted {
 public:
  Mounted(const std::string& node, std::string target) : target_(std::move(target)) {
    REQUIRE(::mount(node.c_str(), target_.c_str(), "ext4", 0, nullptr) == 0);
  }
  Mounted(const Mounted&) = delete;
  Mounted& operator=(const Mounted&) = delete;
  ~Mounted() { ::umount2(target_.c_str(), UMOUNT_NOFOLLOW | MNT_DETACH); }

 private:
  const std::string target_;
};

// Asks only: nothing here opens that disk.
TEST_CASE("the disk beneath / is the system's") {
  const BlockDevices every(*DiskNames::from({"*"}));
  struct stat status {};
  REQUIRE(::stat("/", &status) == 0);
  const auto names = every.disks_beneath(status.st_dev);
  if (names.empty()) {
    std::puts("SKIPPED: / is on no block device here");
    return;
  }
  for (const std::string& name : names) {
    CAPTURE(name);
    const BlockDevices devices(*DiskNames::from({name}));
    const auto disks = devices.disks();
    REQUIRE(disks);
    REQUIRE(disks->size() == 1);
    const Result<void> refused = check_not_system_disk(devices, disks->front(), "format");
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code() == StatusCode::kFailedPrecondition);
    CHECK_THAT(refused.error().message(),
               Catch::StartsWith("cannot format \"/dev/" + name + "\": it is in use by ") &&
                   Catch::Contains("never changed"));
    CHECK(check_unused(devices, disks->front(), "take offline").error().code() ==
          StatusCode::kFailedPrecondition);
  }
}

TEST_CASE("a fresh disk is nobody's") {
  const LoopDisk disk(16 * kMebibyte);
  CHECK(check_not_system_disk(devices_of(disk), look_up(disk), "format"));
  CHECK(check_unused(devices_of(disk), look_up(disk), "take offline"));
}

TEST_CASE("a disk that a loop device is made of is used by it") {
  const LoopDisk disk(16 * kMebibyte);
  {
    const LoopDisk above(0, {.file = disk.node()});
    const Result<void> refused = check_unused(devices_of(disk), look_up(disk), "take offline");
    REQUIRE_FALSE(refused);
    CHECK(refused.error().message() == "cannot take offline \"" + disk.node() +
                                           "\": it is in use by the device " + above.node() +
                                           ", made of it");
    CHECK(check_unused(devices_of(above), look_up(above), "take offline"));
  }
  CHECK(check_unused(devices_of(disk), look_up(disk), "take offline"));
}

TEST_CASE("a disk that is mounted is used by the mount, and not the system's") {
  LoopDisk disk(16 * kMebibyte), other(16 * kMebibyte);
  disk.make_filesystem();
  const test::TemporaryDirectory directory;
  const std::string target = directory / "some target";
  std::filesystem::create_directory(target);
  {
    const Mounted mounted(disk.node(), target);
    const Result<void> refused = check_unused(devices_of(disk), look_up(disk), "take offline");
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code() == StatusCode::kFailedPrecondition);
    CHECK(refused.error().message() ==
          "cannot take offline \"" + disk.node() + "\": it is in use by the mount " + target);
    CHECK(check_not_system_disk(devices_of(disk), look_up(disk), "format"));
    CHECK(check_unused(devices_of(other), look_up(other), "take offline"));
  }
  CHECK(check_unused(devices_of(disk), look_up(disk), "take offline"));
}

std::string refusal_to_open(const LoopDisk& disk) {
  const Result<FileDescriptor> refused = open_unused(devices_of(disk), look_up(disk), "test");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code() == StatusCode::kFailedPrecondition);
  return refused.error().message();
}

std::string name_of(const test::LiveProcess& process) {
  return "process " + std::to_string(process.id()) + " (";
}

TEST_CASE("a disk that is mounted in another mount namespace is used by a process of that") {
  LoopDisk disk(16 * kMebibyte), other(16 * kMebibyte);
  disk.make_filesystem();
  const test::TemporaryDirectory directory;
  auto mounted = std::make_unique<Mounted>(disk.node(), directory.path());
  const test::OtherNamespace keeper;
  mounted.reset();
  CHECK_THAT(refusal_to_open(disk),
             Catch::Contains("in use by the mount \"" + directory.path().string() + "\" of " +
                             keeper.name()));
  CHECK_FALSE(check_unused(devices_of(disk), look_up(disk), "take offline"));
  CHECK(open_unused(devices_of(other), look_up(other), "test"));
}

// As anybody makes it who has a user namespace of his own.
TEST_CASE("a mount elsewhere that only calls the disk its source does not use it") {
  const LoopDisk disk(16 * kMebibyte);
  const test::TemporaryDirectory directory;
  REQUIRE(::mount(disk.node().c_str(), directory.path().c_str(), "tmpfs", 0, nullptr) == 0);
  const test::OtherNamespace liar;
  REQUIRE(::umount2(directory.path().c_str(), UMOUNT_NOFOLLOW) == 0);
  CHECK(open_unused(devices_of(disk), look_up(disk), "test"));
}

TEST_CASE("a disk with files that are open after a lazy unmount is used by their process") {
  LoopDisk disk(16 * kMebibyte);
  disk.make_filesystem();
  const test::TemporaryDirectory directory;
  auto mounted = std::make_unique<Mounted>(disk.node(), directory.path());
  const test::LiveProcess user([&] {
    if (::open(directory.path().c_str(), O_RDONLY | O_DIRECTORY) < 0) ::_exit(1);
  });
  mounted.reset();
  CHECK_THAT(refusal_to_open(disk),
             Catch::Contains(name_of(user)) && Catch::Contains("has files open in it, though"));
}

TEST_CASE("a disk that a process has for itself is used by it, and one that it only has open not") {
  const LoopDisk disk(16 * kMebibyte);
  const bool is_exclusive = GENERATE(true, false);
  const test::LiveProcess user([&] {
    if (::open(disk.node().c_str(), O_RDONLY | (is_exclusive ? O_EXCL : 0)) < 0) ::_exit(1);
  });
  if (is_exclusive) {
    CHECK_THAT(refusal_to_open(disk),
               Catch::Contains(name_of(user)) && Catch::Contains("has the device open"));
  } else {
    CHECK(open_unused(devices_of(disk), look_up(disk), "test"));
  }
}

TEST_CASE("a disk that is mounted below /usr is the system's") {
  LoopDisk disk(16 * kMebibyte);
  disk.make_filesystem();
  const std::string target = "/usr/share";
  const Mounted mounted(disk.node(), target);
  const Result<void> refused = check_not_system_disk(devices_of(disk), look_up(disk), "format");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code() == StatusCode::kFailedPrecondition);
  CHECK_THAT(refused.error().message(), Catch::Contains("the mount /usr/share"));
}

TEST_CASE("a disk that a needed directory lies on is the system's") {
  LoopDisk disk(16 * kMebibyte);
  disk.make_filesystem();
  const test::TemporaryDirectory directory;
  const std::string target = directory / "target";
  std::filesystem::create_directory(target);
  const Mounted mounted(disk.node(), target);
  const auto check = [&](const std::string& needed) {
    return check_not_system_disk(devices_of(disk), look_up(disk), "format", {needed});
  };
  CHECK(check(directory / "target2"));
  CHECK(check(directory.path()));
  CHECK_FALSE(check(target));
  const Result<void> refused = check(target + "/below/it");
  REQUIRE_FALSE(refused);
  CHECK_THAT(refused.error().message(), Catch::Contains("the mount " + target));
}

}  // namespace
}  // namespace longshore::block
