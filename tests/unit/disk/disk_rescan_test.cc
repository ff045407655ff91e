// Rescan on a tree like sysfs's, where writing can fail as it does for a disk that goes away.
#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <string>

#include "disk/linux/disk_backend_linux.h"
#include "longshore/linux/file_descriptor.hpp"
#include "tests/support/read_file.h"
#include "tests/unit/block/fake_sysfs.h"

namespace longshore::disk {
namespace {

using block::FakeSysfs;

Result<void> rescan(const FakeSysfs& sysfs) {
  return DiskBackendLinux(
             {.disk_names = *block::DiskNames::from({"sd*"}), .sysfs_root = sysfs.root()})
      .rescan({});
}

TEST_CASE("a disk that goes away during a rescan fails nothing") {
  const FakeSysfs sysfs;
  sysfs.put_disk("sda", "1", "8:0");  // has no such file
  sysfs.put_disk("sdb", "2", "8:16");
  sysfs.put_disk("sdc", "3", "8:32");
  sysfs.put("sdc/device/rescan", "");
  // No such device or address.
  const FileDescriptor gone(::eventfd(0, EFD_CLOEXEC));
  REQUIRE(gone);
  sysfs.put_link("sdb/device/rescan", "/proc/self/fd/" + std::to_string(gone.get()));
  CHECK(rescan(sysfs));
  CHECK(test::read_file(sysfs.root() + "/devices/sdc/device/rescan") == "1\n");
}

TEST_CASE("disks without a size and disks that are not served are rescanned too") {
  const FakeSysfs sysfs;
  sysfs.put_disk("sda", "1", "8:0", "0");
  sysfs.put_disk("other", "2", "8:16");
  sysfs.put("sda/device/rescan", "");
  sysfs.put("other/device/rescan", "");
  CHECK(rescan(sysfs));
  CHECK(test::read_file(sysfs.root() + "/devices/sda/device/rescan") == "1\n");
  CHECK(test::read_file(sysfs.root() + "/devices/other/device/rescan") == "1\n");
}

TEST_CASE("a disk that cannot be rescanned is told, after the others had their turn") {
  const FakeSysfs sysfs;
  sysfs.put_disk("sda", "1", "8:0");
  sysfs.put("sda/device/rescan/any", "");  // a directory
  sysfs.put_disk("sdb", "2", "8:16");
  sysfs.put("sdb/device/rescan", "");
  const Result<void> failed = rescan(sysfs);
  REQUIRE_FALSE(failed);
  CHECK(failed.error().code() == StatusCode::kUnavailable);
  CHECK(failed.error().object() == sysfs.root() + "/block/sda/device/rescan");
  CHECK(test::read_file(sysfs.root() + "/devices/sdb/device/rescan") == "1\n");
}

TEST_CASE("a disk that does not answer keeps no other from being rescanned, and is left out") {
  const FakeSysfs sysfs;
  sysfs.put_disk("sda", "1", "8:0");
  sysfs.put("sda/device/model", "");
  const std::string hung = sysfs.root() + "/devices/sda/device/rescan";
  REQUIRE(::mkfifo(hung.c_str(), 0600) == 0);  // who writes waits for somebody who reads
  sysfs.put_disk("sdb", "2", "8:16");
  sysfs.put("sdb/device/rescan", "");
  FileDescriptor reader;  // outlives who writes
  DiskRescan rescan(sysfs.root(), std::chrono::milliseconds(500));
  CHECK(rescan.run());
  CHECK(test::read_file(sysfs.root() + "/devices/sdb/device/rescan") == "1\n");
  reader = FileDescriptor(::open(hung.c_str(), O_RDONLY | O_CLOEXEC));
  REQUIRE(reader);
}

}  // namespace
}  // namespace longshore::disk
