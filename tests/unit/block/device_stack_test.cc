// What block devices are made of, and what calls for them would hang on.
#include "support/linux/block/device_stack.h"

#include <sys/sysmacros.h>

#include <catch2/catch.hpp>

#include "tests/unit/block/fake_sysfs.h"

namespace longshore::block {
namespace {

std::string key(const FakeSysfs& sysfs, unsigned major, unsigned minor) {
  return bulkhead_of(makedev(major, minor), sysfs.root());
}

TEST_CASE("a partition, and what is made of one disk alone, hangs on that disk") {
  const FakeSysfs sysfs;
  sysfs.put_disk("sda", "7", "8:0");
  sysfs.put_partition("sda", "sda1", 1, "8:1");
  sysfs.put_disk("dm-0", "9", "253:0");
  sysfs.put_disk("dm-1", "10", "253:1");
  sysfs.put_holder("sda/sda1", "dm-0");
  sysfs.put_holder("dm-0", "dm-1");
  CHECK(key(sysfs, 8, 0) == "disk 7");
  CHECK(key(sysfs, 8, 1) == "disk 7");
  CHECK(key(sysfs, 253, 0) == "disk 7");
  CHECK(key(sysfs, 253, 1) == "disk 7");
}

TEST_CASE("what is made of several disks stands for itself") {
  const FakeSysfs sysfs;
  sysfs.put_disk("sda", "1", "8:0");
  sysfs.put_disk("sdb", "2", "8:16");
  sysfs.put_disk("dm-0", "3", "253:0");
  sysfs.put_holder("sda", "dm-0");
  sysfs.put_holder("sdb", "dm-0");
  CHECK(key(sysfs, 253, 0) == "disk 3");
  CHECK(key(sysfs, 8, 16) == "disk 2");
}

TEST_CASE("what is no disk, or has no number, is nothing") {
  const FakeSysfs sysfs;
  CHECK(key(sysfs, 8, 0).empty());
  sysfs.put_disk("sda", "1", "8:0");
  sysfs.remove("sda/diskseq");
  CHECK(key(sysfs, 8, 0).empty());
  CHECK(key(sysfs, 0, 50).empty());
}

}  // namespace
}  // namespace longshore::block
