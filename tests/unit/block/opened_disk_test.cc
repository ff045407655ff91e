// Opening a disk, its lock, and what the kernel knows of its partitions.
#include "support/linux/block/opened_disk.h"

#include <sys/file.h>

#include "support/linux/block/partition_nodes.h"
#include "tests/unit/block/loop_devices.h"

namespace longshore::block {
namespace {
using test::LoopDisk;

TEST_CASE("a node that is another disk's is refused") {
  const LoopDisk disk(kDiskBytes), other(kDiskBytes);
  const Disk known = look_up(disk);
  CHECK(open_disk(known, O_RDONLY, "test"));
  const auto refused = [&](const Disk& wrong) {
    const Result<FileDescriptor> opened = open_disk(wrong, O_RDONLY, "test");
    return !opened && opened.error().code() == StatusCode::kFailedPrecondition;
  };
  Disk wrong = known;
  wrong.node = other.node();
  CHECK(refused(wrong));
  wrong = known;
  wrong.number = other.number();  // it was replaced since
  CHECK(refused(wrong));
  wrong = known;
  wrong.node = disk.file();  // no block device
  CHECK(refused(wrong));
  wrong.node = "/dev/longshore-missing";
  CHECK(open_disk(wrong, O_RDONLY, "test").error().code() == StatusCode::kNotFound);
}

TEST_CASE("one holds a disk's lock, and others wait as long as they may") {
  const LoopDisk disk(kDiskBytes), other(kDiskBytes);
  {
    const Result<DiskLock> lock = DiskLock::take(look_up(disk), {}, "test");
    REQUIRE(lock);
    // Whoever else heeds the protocol sees it.
    const FileDescriptor udev(::open(disk.node().c_str(), O_RDONLY | O_CLOEXEC));
    CHECK(::flock(udev.get(), LOCK_EX | LOCK_NB) != 0);
    Deadline deadline;
    deadline.time = Deadline::Clock::now() + std::chrono::milliseconds(5);
    CHECK(DiskLock::take(look_up(disk), deadline, "test").error().code() ==
          StatusCode::kDeadlineExceeded);
    int times_asked = 0;
    deadline = {};
    deadline.cancelled = [&] { return ++times_asked > 2; };
    CHECK(DiskLock::take(look_up(disk), deadline, "test").error().code() == StatusCode::kCancelled);
    CHECK(DiskLock::take(look_up(other), {}, "test"));
  }
  CHECK(DiskLock::take(look_up(disk), {}, "test"));
}

TEST_CASE("a call that is over takes no lock") {
  const LoopDisk disk(kDiskBytes);
  Deadline deadline;
  deadline.time = Deadline::Clock::now();
  CHECK(DiskLock::take(look_up(disk), deadline, "test").error().code() ==
        StatusCode::kDeadlineExceeded);
}

// The kernel's partition after it was told of one in that place.
Result<KernelPartition> ensure(const LoopDisk& disk, uint32_t number, uint64_t start,
                               uint64_t sectors) {
  TablePartition partition;
  partition.number = number;
  partition.start = start;
  partition.sectors = sectors;
  return ensure_kernel_partition(devices_of(disk), look_up(disk), open_whole(disk, O_RDONLY),
                                 partition);
}

TEST_CASE("the kernel is told of a partition that is new, larger or elsewhere") {
  const LoopDisk disk(kDiskBytes);
  const auto check = [&](uint64_t start, uint64_t sectors) {
    CAPTURE(start, sectors);
    const Result<KernelPartition> known = ensure(disk, 1, start, sectors);
    REQUIRE(known);
    CHECK(known->start == start);
    CHECK(known->sectors == sectors);
    CHECK(wait_for_node(*known, {}));
    CHECK(devices_of(disk).partitions(look_up(disk)).size() == 1);
  };
  check(2048, 8192);
  check(2048, 8192);
  check(2048, 16384);
  check(2048, 4096);
  check(4096, 4096);
}

TEST_CASE("a kernel's partition that is in use keeps its place, and may grow") {
  const LoopDisk disk(kDiskBytes);
  const Result<KernelPartition> known = ensure(disk, 1, 2048, 8192);
  REQUIRE(known);
  const FileDescriptor user(::open(known->node.c_str(), O_RDONLY | O_CLOEXEC));
  REQUIRE(user);
  CHECK(ensure(disk, 1, 2048, 16384));
  for (const uint64_t start : {4096u, 2048u}) {
    const Result<KernelPartition> refused = ensure(disk, 1, start, 8192);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code() == StatusCode::kFailedPrecondition);
    CHECK_THAT(refused.error().message(), Catch::Contains("in use"));
  }
  CHECK(devices_of(disk).partitions(look_up(disk)).at(0).sectors == 16384);
}

TEST_CASE("what an older table left in the kernel gives way unless it is in use") {
  const LoopDisk disk(kDiskBytes);
  const Result<KernelPartition> old = ensure(disk, 1, 2048, 8192);
  REQUIRE(old);
  {
    const FileDescriptor user(::open(old->node.c_str(), O_RDONLY | O_CLOEXEC));
    REQUIRE(user);
    CHECK_FALSE(ensure(disk, 2, 4096, 8192));
    CHECK(devices_of(disk).partitions(look_up(disk)).at(0).number == 1);
  }
  CHECK(ensure(disk, 2, 4096, 8192));
  CHECK(ensure(disk, 3, 20'000, 8192));
  const auto left = devices_of(disk).partitions(look_up(disk));
  REQUIRE(left.size() == 2);
  CHECK(left[0].number == 2);
}

TEST_CASE("a partition beyond the disk's end is refused by the kernel") {
  const LoopDisk disk(kDiskBytes);
  REQUIRE(ensure(disk, 1, 2048, 8192));
  CHECK_FALSE(ensure(disk, 2, 120'000, 80'000));
  CHECK(devices_of(disk).partitions(look_up(disk)).size() == 1);
}

TEST_CASE("a node that does not come is waited for no longer than allowed") {
  KernelPartition missing;
  missing.node = "/dev/longshore-missing";
  Deadline deadline;
  deadline.time = Deadline::Clock::now() + std::chrono::milliseconds(5);
  const Result<void> waited = wait_for_node(missing, deadline);
  REQUIRE_FALSE(waited);
  CHECK(waited.error().code() == StatusCode::kDeadlineExceeded);
}

}  // namespace
}  // namespace longshore::block
