// BlockDevices on trees like sysfs's.
#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <thread>

#include "support/linux/block/sysfs.h"
#include "tests/unit/block/fake_sysfs.h"

namespace longshore::block {
namespace {

using Names = std::vector<std::string>;

Names names_of(const Result<std::vector<Disk>>& disks) {
  REQUIRE(disks);
  Names names;
  for (const Disk& disk : *disks) names.push_back(disk.name);
  return names;
}

TEST_CASE("disks that are served and have a medium are listed by their number") {
  const FakeSysfs sysfs;
  sysfs.put_disk("sda", "12", "8:0");
  sysfs.put_disk("sdb", "3", "8:16");
  sysfs.put_disk("sdc", "4", "8:32", "0");      // a card reader without a card
  sysfs.put_disk("vda", "1", "254:0");          // not served
  sysfs.put_disk("sdd", "4294967296", "8:48");  // no number of 32 bits
  sysfs.put_disk("sde", "4294967295", "8:64");
  const BlockDevices devices = devices_in(sysfs);
  CHECK(names_of(devices.disks()) == Names{"sdb", "sda", "sde"});
  CHECK(devices.disk(12, "test")->name == "sda");
  CHECK(devices.disk(4294967295, "test")->name == "sde");
  for (const uint32_t number : {0u, 1u, 4u}) {
    const Result<Disk> unknown = devices.disk(number, "test");
    REQUIRE_FALSE(unknown);
    CHECK(unknown.error().code() == StatusCode::kNotFound);
  }
}

TEST_CASE("a disk has what its attributes say") {
  const FakeSysfs sysfs;
  sysfs.put_disk("sda", "7", "8:0", "16777216");
  sysfs.put("sda/ro", "1\n");
  sysfs.put_disk("sdb", "8", "8:16");
  const BlockDevices devices = devices_in(sysfs);
  const Disk disk = *devices.disk(7, "test");
  CHECK(disk.node == "/dev/sda");
  CHECK(disk.size_in_bytes() == uint64_t{8} << 30);
  CHECK(disk.read_only);
  CHECK(disk.device == makedev(8, 0));
  CHECK(disk.holders.empty());
  const Disk plain = *devices.disk(8, "test");
  CHECK_FALSE(plain.read_only);
}

TEST_CASE("a kernel that does not number its disks is told, with what to do") {
  const FakeSysfs sysfs;
  if (GENERATE(true, false)) {
    sysfs.put_disk("sda", "1", "8:0");
    sysfs.remove("sda/diskseq");
  }
  const Result<std::vector<Disk>> refused = devices_in(sysfs).disks();
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code() == StatusCode::kUnavailable);
  CHECK_THAT(refused.error().advice(), Catch::Contains("Linux 5.15"));
  CHECK(devices_in(sysfs).disk(1, "test").error().code() == StatusCode::kUnavailable);
}

TEST_CASE("no disk that is served is an empty list") {
  const FakeSysfs sysfs;
  sysfs.put_disk("vda", "1", "254:0");
  CHECK(names_of(devices_in(sysfs).disks()).empty());
}

TEST_CASE("attributes that are no numbers hide a disk and no others") {
  const FakeSysfs sysfs;
  sysfs.put_disk("sda", "1", "8:0");
  const auto [name, device] = GENERATE(table<std::string, std::string>(
      {{"-5", "8:16"}, {"5x", "8:16"}, {"", "8:16"}, {"99999999999999999999", "8:16"}}));
  sysfs.put_disk("sdb", name, device);
  CHECK(names_of(devices_in(sysfs).disks()) == Names{"sda"});
}

TEST_CASE("a disk that cannot be opened yet, or any more, is not there") {
  const FakeSysfs sysfs;
  sysfs.put_disk("sda", "1", "8:0");
  sysfs.put_disk("sdb", "2", "8:16");
  const BlockDevices devices = devices_in(sysfs);
  REQUIRE(names_of(devices.disks()) == Names{"sda", "sdb"});
  sysfs.remove("sda/bdi");
  CHECK(names_of(devices.disks()) == Names{"sdb"});
  CHECK(devices.disk(1, "test").error().code() == StatusCode::kNotFound);
  CHECK_FALSE(devices.disk_of(makedev(8, 0)));
  sysfs.put_link("sda/bdi", "../../bdi/8:0");
  CHECK(devices.disk(1, "test"));
}

TEST_CASE("a disk of which attributes cannot be read is left out and hides no other") {
  const FakeSysfs sysfs;
  sysfs.put_disk("sda", "1", "8:0");
  sysfs.put_disk("sdb", "2", "8:16");
  const std::string attribute = "sda/" + GENERATE(as<std::string>{}, "diskseq", "size", "dev");
  sysfs.remove(attribute);
  // A directory opens, and fails when it is read.
  if (GENERATE(true, false)) sysfs.put(attribute + "/any", "");
  CHECK(names_of(devices_in(sysfs).disks()) == Names{"sdb"});
}

TEST_CASE("the last disk's end is no kernel that does not number its disks") {
  const FakeSysfs sysfs;
  sysfs.put_disk("sda", "1", "8:0");
  // The name was read, and what it led to is gone.
  std::filesystem::remove_all(sysfs.root() + "/devices/sda");
  CHECK(names_of(devices_in(sysfs).disks()).empty());
}

TEST_CASE("disks that come and go while they are listed are there whole or not at all") {
  const FakeSysfs sysfs;
  sysfs.put_disk("sdb", "1", "8:16");
  const BlockDevices devices = devices_in(sysfs);
  std::atomic<bool> ends = false;
  std::thread plugging([&] {
    for (int number = 2; !ends; ++number) {
      sysfs.put_disk("sda", std::to_string(number), "8:0");
      sysfs.pull_out("sda", "8:0");
    }
  });
  int faults = 0, found = 0;
  const auto last = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  for (int i = 0; (i < 2000 || found == 0) && std::chrono::steady_clock::now() < last; ++i) {
    const Result<std::vector<Disk>> disks = devices.disks();
    if (!disks || disks->empty() || disks->front().name != "sdb" || disks->size() > 2) {
      ++faults;
    } else if (disks->size() == 2) {
      ++found;
      const Disk& other = disks->back();
      if (other.number < 2 || other.sectors != 131072 || other.device != makedev(8, 0)) ++faults;
    }
  }
  ends = true;
  plugging.join();
  CHECK(faults == 0);
  CHECK(found > 0);
}

TEST_CASE("partitions are in the order of their numbers") {
  const FakeSysfs sysfs;
  sysfs.put_disk("sda", "1", "8:0");
  for (const uint32_t number : {10u, 2u, 1u}) {
    sysfs.put_partition("sda", "sda" + std::to_string(number), number,
                        "8:" + std::to_string(number));
  }
  sysfs.put("sda/queue/partition", "1");  // not a partition's folder
  const BlockDevices devices = devices_in(sysfs);
  const auto partitions = devices.partitions(*devices.disk(1, "test"));
  REQUIRE(partitions.size() == 3);
  CHECK(partitions[0].name == "sda1");
  CHECK(partitions[1].node == "/dev/sda2");
  CHECK(partitions[2].number == 10);
  CHECK(partitions[2].start == 20480);
  CHECK(partitions[2].sectors == 2048);
  CHECK(partitions[2].device == makedev(8, 10));
}

TEST_CASE("an exclamation mark in a name is a slash below /dev") {
  const FakeSysfs sysfs;
  sysfs.put_disk("cciss!c0d0", "5", "104:0");
  sysfs.put_partition("cciss!c0d0", "cciss!c0d0p1", 1, "104:1");
  const BlockDevices devices = devices_in(sysfs, "cciss!*");
  const Disk disk = *devices.disk(5, "test");
  CHECK(disk.node == "/dev/cciss/c0d0");
  CHECK(devices.partitions(disk).at(0).node == "/dev/cciss/c0d0p1");
}

TEST_CASE("a device tells the disk that it is or lies on") {
  const FakeSysfs sysfs;
  sysfs.put_disk("sda", "1", "8:0");
  sysfs.put_partition("sda", "sda1", 1, "8:1");
  sysfs.put_disk("vda", "2", "254:0");
  sysfs.put_partition("vda", "vda1", 1, "254:1");
  const BlockDevices devices = devices_in(sysfs);
  CHECK(devices.disk_of(makedev(8, 0))->name == "sda");
  CHECK(devices.disk_of(makedev(8, 1))->name == "sda");
  CHECK_FALSE(devices.disk_of(makedev(254, 1)));
  CHECK_FALSE(devices.disk_of(makedev(8, 2)));
}

Names beneath(const BlockDevices& devices, unsigned major, unsigned minor) {
  Names names = devices.disks_beneath(makedev(major, minor));
  std::ranges::sort(names);
  return names;
}

TEST_CASE("the disks beneath a device are found through dm and md, served or not") {
  const FakeSysfs sysfs;
  sysfs.put_disk("sda", "1", "8:0");
  sysfs.put_partition("sda", "sda1", 1, "8:1");
  sysfs.put_disk("vdb", "2", "254:16");
  sysfs.put_disk("vdc", "3", "254:32");
  sysfs.put_disk("md0", "4", "9:0");
  sysfs.put_partition("md0", "md0p1", 1, "259:0");
  sysfs.put_disk("dm-0", "5", "253:0");
  sysfs.put_holder("sda/sda1", "md0");
  sysfs.put_holder("vdb", "md0");
  sysfs.put_holder("md0/md0p1", "dm-0");
  const BlockDevices devices = devices_in(sysfs);
  CHECK(beneath(devices, 253, 0) == Names{"dm-0", "md0", "sda", "vdb"});
  CHECK(beneath(devices, 259, 0) == Names{"md0", "sda", "vdb"});
  CHECK(beneath(devices, 8, 1) == Names{"sda"});
  CHECK(beneath(devices, 254, 32) == Names{"vdc"});
  CHECK(beneath(devices, 0, 45).empty());

  const Disk sda = *devices.disk(1, "test");
  CHECK(sda.holders.empty());
  CHECK(devices.holder_of(sda, "sda1") == "md0");
  CHECK(devices.holder_of(sda, "sda").empty());
  const Disk vdb = *devices_in(sysfs, "vd*").disk(2, "test");
  CHECK(vdb.holders == Names{"md0"});
  CHECK(devices_in(sysfs, "vd*").holder_of(vdb, "vdb") == "md0");
}

TEST_CASE("devices that are made of each other end the search") {
  const FakeSysfs sysfs;
  sysfs.put_disk("dm-0", "1", "253:0");
  sysfs.put_disk("dm-1", "2", "253:1");
  sysfs.put_holder("dm-0", "dm-1");
  sysfs.put_holder("dm-1", "dm-0");
  CHECK(beneath(devices_in(sysfs), 253, 0) == Names{"dm-0", "dm-1"});
}

TEST_CASE("attributes are read without white space and as far as they go") {
  const test::TemporaryDirectory directory;
  const auto put = [&](const std::string& value) {
    test::write_file(directory / "value", value);
    return directory / "value";
  };
  CHECK(read_attribute(put("  a\n")) == "  a\n");
  CHECK(read_text_attribute(put(" \ta b\n\n")) == "a b");
  CHECK(read_text_attribute(put(" \n")) == "");
  CHECK(read_number_attribute(put("18446744073709551615\n")) == 18446744073709551615u);
  for (const char* text : {"18446744073709551616", "+1", "0x1", "1 2", ""}) {
    CAPTURE(text);
    CHECK_FALSE(read_number_attribute(put(text)));
  }
  CHECK(read_device_attribute(put("259:17\n")) == makedev(259, 17));
  for (const char* text : {"259", "259:", ":1", "", "a:b"}) {
    CAPTURE(text);
    CHECK_FALSE(read_device_attribute(put(text)));
  }
  CHECK(read_attribute(put(std::string(100'000, 'x')))->size() <= 100'000);
  CHECK_FALSE(read_attribute(directory / "missing"));
  CHECK_FALSE(read_attribute(directory.path()));
  CHECK(names_in(directory.path()) == Names{"value"});
  CHECK(names_in(directory / "missing").empty());
  CHECK(link_name(directory / "value").empty());
}

}  // namespace
}  // namespace longshore::block
