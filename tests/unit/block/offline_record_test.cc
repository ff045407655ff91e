// The record that a disk was taken offline, on a disk's real node.
#include "support/linux/block/offline_record.h"

#include <sys/xattr.h>

#include "tests/support/writable_node.h"
#include "tests/unit/block/loop_devices.h"

namespace longshore::block {
namespace {

using test::LoopDisk;

constexpr const char* kAttribute = "trusted.longshore.offline";

TEST_CASE("a disk is recorded as offline until that is taken back") {
  const LoopDisk loop(kDiskBytes), other(kDiskBytes);
  const test::WritableNode node(loop.node());
  const Disk disk = look_up(loop);
  const FileDescriptor opened = open_whole(loop, O_RDONLY);
  CHECK_FALSE(is_taken_offline(disk));
  CHECK(remove_offline_record(opened, disk, "test"));
  for (int times = 0; times < 2; ++times) {
    CHECK(record_offline(opened, disk, "test"));
    CHECK(is_taken_offline(disk));
  }
  CHECK_FALSE(is_taken_offline(look_up(other)));
  for (int times = 0; times < 2; ++times) {
    CHECK(remove_offline_record(opened, disk, "test"));
    CHECK_FALSE(is_taken_offline(disk));
  }
}

TEST_CASE("a record that another disk left at the node says nothing") {
  const LoopDisk loop(kDiskBytes);
  const test::WritableNode node(loop.node());
  const Disk disk = look_up(loop);
  const std::string number = std::to_string(disk.number);
  const auto value = GENERATE_COPY(std::string(), std::string("x"), number + "0", number + "\n",
                                   "0" + number, " " + number, number + std::string(1, '\0'),
                                   std::string(200, '1'), std::to_string(disk.number - 1));
  CAPTURE(value);
  REQUIRE(::setxattr(loop.node().c_str(), kAttribute, value.data(), value.size(), 0) == 0);
  CHECK_FALSE(is_taken_offline(disk));
  // It is not in the way of this disk's own.
  CHECK(record_offline(open_whole(loop, O_RDONLY), disk, "test"));
  CHECK(is_taken_offline(disk));
  CHECK(remove_offline_record(open_whole(loop, O_RDONLY), disk, "test"));
  CHECK_FALSE(is_taken_offline(disk));
}

TEST_CASE("where /dev keeps no record a disk cannot be offline, and that is said") {
  const LoopDisk loop(kDiskBytes);  // its node is read-only here
  const Disk disk = look_up(loop);
  const Result<void> recorded = record_offline(open_whole(loop, O_RDONLY), disk, "take offline");
  REQUIRE_FALSE(recorded);
  CHECK(recorded.error().code() == StatusCode::kUnimplemented);
  CHECK_THAT(recorded.error().message(), Catch::Contains("Read-only") &&
                                             Catch::Contains(kAttribute) &&
                                             Catch::Contains("devtmpfs"));
  CHECK_FALSE(is_taken_offline(disk));

  Disk missing = disk;
  missing.node = "/dev/longshore-missing";
  CHECK_FALSE(is_taken_offline(missing));
}

}  // namespace
}  // namespace longshore::block
