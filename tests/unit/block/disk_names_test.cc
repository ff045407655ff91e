#include "support/linux/block/disk_names.h"

#include <catch2/catch.hpp>

#include "support/linux/block/block_devices.h"

namespace longshore::block {
namespace {

TEST_CASE("a name without a star is itself alone") {
  const DiskNames names = *DiskNames::from({"nvme0n1"});
  CHECK(names.includes("nvme0n1"));
  CHECK_FALSE(names.includes("nvme0n10"));
  CHECK_FALSE(names.includes("nvme0n"));
  CHECK_FALSE(names.includes("xnvme0n1"));
  CHECK_FALSE(names.includes(""));
}

TEST_CASE("a star stands for any characters, and for none") {
  const auto [pattern, name, included] = GENERATE(table<std::string, std::string, bool>({
      {"sd*", "sda", true},
      {"sd*", "sd", true},
      {"sd*", "sdaa", true},
      {"sd*", "vda", false},
      {"sd*", "s", false},
      {"*", "anything", true},
      {"*", "", true},
      {"nvme*n1", "nvme12n1", true},
      {"nvme*n1", "nvme1n2", false},
      {"nvme*n1", "nvmen1", true},
      {"*a*", "sda", true},
      {"*a*", "sdb", false},
      {"a*b*c", "aXbXbc", true},
      {"a*b*c", "aXcXb", false},
      {"*b", "abab", true},
      {"****", "sda", true},
      // No other character is special.
      {"sd?", "sda", false},
      {"sd[a]", "sda", false},
      {"cciss!c0d*", "cciss!c0d0", true},
  }));
  CAPTURE(pattern, name);
  CHECK(DiskNames::from({pattern})->includes(name) == included);
}

TEST_CASE("one of several patterns is enough") {
  const DiskNames names = *DiskNames::from({"sd*", "vdb"});
  CHECK(names.includes("sda"));
  CHECK(names.includes("vdb"));
  CHECK_FALSE(names.includes("vda"));
}

TEST_CASE("patterns that no disk can have are refused") {
  const std::string pattern =
      GENERATE(as<std::string>{}, "", "/dev/sda", "sd a", "sd\ta", "*****", std::string(33, 'a'));
  CAPTURE(pattern);
  const Result<DiskNames> refused = DiskNames::from({"sda", pattern});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code() == StatusCode::kInvalidArgument);
  CHECK_THAT(refused.error().message(), Catch::Contains("without /dev/"));
}

TEST_CASE("no pattern at all is refused") {
  const Result<DiskNames> refused = DiskNames::from({});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code() == StatusCode::kInvalidArgument);
  CHECK_THAT(refused.error().message(), Catch::Contains("disk_names"));
}

TEST_CASE("the longest pattern that is allowed ends soon on the longest name") {
  const std::string many(200, 'a');
  CHECK_FALSE(DiskNames::from({"*a*a*a*b"})->includes(many));
  CHECK(DiskNames::from({"*a*a*a*a"})->includes(many));
}

TEST_CASE("a partition's name tells whether its disk is served, also when it is gone") {
  const BlockDevices devices(*DiskNames::from({"sdb", "nvme0n1", "md*"}), "/nowhere");
  for (const char* name : {"sdb", "sdb1", "sdb12", "nvme0n1", "nvme0n1p1", "md0p1"}) {
    CAPTURE(name);
    CHECK(devices.serves(name));
  }
  for (const char* name : {"", "root", "sdc1", "sd", "1", "p1", "nvme0n2p1", "vdb"}) {
    CAPTURE(name);
    CHECK_FALSE(devices.serves(name));
  }
}

}  // namespace
}  // namespace longshore::block
