// The disks of a target while it is disconnected, on disks that are there: loop devices.
#include "iscsi/linux/held_disks.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/support/eventually.h"
#include "tests/support/other_namespace.h"
#include "tests/unit/block/loop_devices.h"
#include "tests/unit/iscsi/connected_node.h"

namespace longshore::iscsi {
namespace {

namespace fs = std::filesystem;
using block::look_up;
using test::LoopDisk;

constexpr uint64_t kBytes = uint64_t{4} << 20;

Result<HeldDisks> take(const std::vector<block::Disk>& disks, const Deadline& deadline = {}) {
  return HeldDisks::take(block::BlockDevices(*block::DiskNames::from({"*"})), disks, deadline,
                         "test");
}

FileDescriptor open(const LoopDisk& disk, int flags) {
  return FileDescriptor(::open(disk.node().c_str(), flags | O_CLOEXEC));
}

bool can_lock(const LoopDisk& disk) {
  return ::flock(open(disk, O_RDONLY).get(), LOCK_EX | LOCK_NB) == 0;
}

bool can_mount(const LoopDisk& disk) { return static_cast<bool>(open(disk, O_RDONLY | O_EXCL)); }

TEST_CASE("a disk that is held can be neither locked nor mounted by others, until it is let go") {
  const LoopDisk disk(kBytes), other(kBytes);
  {
    const auto held = take({look_up(disk), look_up(other)});
    REQUIRE(held);
    for (const LoopDisk* each : {&disk, &other}) {
      CHECK_FALSE(can_lock(*each));
      CHECK_FALSE(can_mount(*each));
    }
  }
  CHECK(can_lock(disk));
  CHECK(can_mount(disk));
}

TEST_CASE("what programs wrote to a disk is on it when it is held") {
  const LoopDisk disk(kBytes);
  const FileDescriptor writer = open(disk, O_WRONLY);
  REQUIRE(::pwrite(writer.get(), "written", 7, 4096) == 7);
  REQUIRE(take({look_up(disk)}));
  std::ifstream file(disk.file(), std::ios::binary);
  std::string text(7, ' ');
  file.seekg(4096).read(text.data(), 7);
  CHECK(text == "written");
}

TEST_CASE("a disk that another program has for itself is in use, and no other stays held") {
  const LoopDisk disk(kBytes), used(kBytes);
  const FileDescriptor user = open(used, O_RDONLY | O_EXCL);
  REQUIRE(user);
  const auto held = take({look_up(disk), look_up(used)});
  REQUIRE_FALSE(held);
  CHECK(held.error().code() == StatusCode::kFailedPrecondition);
  CHECK_THAT(held.error().message(), Catch::Contains(used.node()));
  CHECK(can_lock(disk));
  CHECK(can_mount(disk));
  CHECK(can_lock(used));
}

TEST_CASE("a disk that is mounted is in use, and the error says where") {
  LoopDisk disk(kBytes);
  disk.make_filesystem();
  const test::TemporaryDirectory mounted;
  REQUIRE(::mount(disk.node().c_str(), mounted.path().c_str(), "ext4", 0, nullptr) == 0);
  const auto held = take({look_up(disk)});
  CHECK(::umount2(mounted.path().c_str(), 0) == 0);
  REQUIRE_FALSE(held);
  CHECK(held.error().code() == StatusCode::kFailedPrecondition);
  CHECK_THAT(held.error().message(), Catch::Contains(mounted.path()));
  CHECK(take({look_up(disk)}));
}

TEST_CASE("a disk that another mount namespace has mounted is in use by a process of that") {
  LoopDisk disk(kBytes);
  disk.make_filesystem();
  const test::TemporaryDirectory mounted;
  REQUIRE(::mount(disk.node().c_str(), mounted.path().c_str(), "ext4", 0, nullptr) == 0);
  {
    const test::OtherNamespace other;
    REQUIRE(::umount2(mounted.path().c_str(), 0) == 0);
    const auto held = take({look_up(disk)});
    REQUIRE_FALSE(held);
    CHECK(held.error().code() == StatusCode::kFailedPrecondition);
    CHECK_THAT(held.error().message(),
               Catch::Contains(mounted.path()) && Catch::Contains(other.name()));
  }
  CHECK(test::eventually([&] { return static_cast<bool>(take({look_up(disk)})); }));
}

TEST_CASE("a disk that another program has locked is waited for, as long as the call may") {
  const LoopDisk disk(kBytes);
  const FileDescriptor udev = open(disk, O_RDONLY);
  REQUIRE(::flock(udev.get(), LOCK_EX | LOCK_NB) == 0);
  Deadline deadline;
  deadline.time = Deadline::Clock::now() + std::chrono::milliseconds(5);
  const auto held = take({look_up(disk)}, deadline);
  REQUIRE_FALSE(held);
  CHECK(held.error().code() == StatusCode::kDeadlineExceeded);
  CHECK(can_mount(disk));
}

TEST_CASE("another disk under the same name is left alone") {
  const LoopDisk disk(kBytes);
  block::Disk earlier = look_up(disk);
  --earlier.number;
  const auto held = take({earlier});
  REQUIRE_FALSE(held);
  CHECK(held.error().code() == StatusCode::kFailedPrecondition);
  CHECK(can_mount(disk));
}

// A connected target whose disk is a real one.
class ConnectedDisk {
 public:
  ConnectedDisk() {
    REQUIRE(node_.connect({}));
    const fs::path sysfs = node_.open_iscsi().sysfs();
    fs::remove_all(sysfs / "block/sdba");
    const fs::path block = sysfs / "block" / disk_.name();
    fs::create_directories(block / "holders");
    for (const char* attribute : {"diskseq", "size", "dev"}) {
      std::ifstream from(fs::path("/sys/block") / disk_.name() / attribute);
      std::ofstream(block / attribute) << from.rdbuf();
    }
    fs::create_symlink("../bdi", block / "bdi");
    std::string device;
    std::getline(std::ifstream(block / "dev"), device);
    fs::create_symlink("../../block/" + disk_.name(), sysfs / "dev/block" / device);
    const fs::path unit = sysfs / "class/iscsi_session/session1/device/target0:0:1/0:0:1:0";
    fs::rename(unit / "block/sdba", unit / "block" / disk_.name());
  }

  Connected& node() { return node_; }
  const LoopDisk& disk() const { return disk_; }

 private:
  Connected node_;
  LoopDisk disk_{kBytes};
};

TEST_CASE("nobody can mount a target's disk while it is disconnected") {
  ConnectedDisk target;
  CHECK(*target.node().backend().disks(the_target(), {}) ==
        std::vector<uint32_t>{target.disk().number()});
  // The stand-in logs out only if the disk is held.
  CHECK(target.node().disconnect());
  CHECK(target.node().backend().disks(the_target(), {})->empty());
  CHECK(can_mount(target.disk()));
}

TEST_CASE("a target whose disk is in use stays connected") {
  ConnectedDisk target;
  static_cast<void>(target.node().new_calls());
  {
    const FileDescriptor user = open(target.disk(), O_RDONLY | O_EXCL);
    REQUIRE(user);
    CHECK(target.node().disconnect().error().code() == StatusCode::kFailedPrecondition);
    CHECK(target.node().new_calls().empty());
  }
  CHECK(target.node().disconnect());
}

}  // namespace
}  // namespace longshore::iscsi
