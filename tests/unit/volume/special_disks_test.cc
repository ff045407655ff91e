// Disks that are unusual in themselves: filesystems on whole disks, copies, other sectors, full.
#include <fcntl.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <future>

#include "tests/support/eventually.h"
#include "tests/unit/volume/disk_world.h"
#include "tests/unit/volume/run_program.h"

namespace longshore::volume {
namespace {

using test::LoopDisk;

std::string copy_id(const std::string& id, const LoopDisk& disk) {
  return id + "@" + std::to_string(disk.number());
}

TEST_CASE("a filesystem on a whole disk is a volume by its own uuid") {
  LoopDisk disk(kDiskBytes);
  run({"/usr/sbin/mkfs.ext4", "-q", "-U", "bbbbbbbb-0000-4000-8000-000000000001", disk.node()});
  Node node;
  Agent agent(node, {&disk});
  const std::string id = "UUID=bbbbbbbb-0000-4000-8000-000000000001";
  CHECK(agent.ids(disk) == Ids{id});
  CHECK(agent.ids(disk, 1).empty());
  CHECK(agent.service().stats(id)->total == kDiskBytes);
  CHECK(agent.partition(disk) == "FAILED_PRECONDITION");
  CHECK(agent.format(id) == "FAILED_PRECONDITION");
  const std::string target = node.target("target");
  CHECK(agent.mount(id, target) == "OK");
  CHECK(agent.id_at(target) == id);
  CHECK(agent.partition(disk) == "FAILED_PRECONDITION");
  CHECK(agent.unmount(id, target) == "OK");
  CHECK(agent.id(disk) == id);
}

TEST_CASE("an id is text, whatever a filesystem calls itself") {
  const LoopDisk disk(kDiskBytes);
  // A CD: its descriptor in the 17th block of 2 KiB, with its date as its name.
  const std::string date = GENERATE(as<std::string>{}, "2026\x1b[2J\n112500000",
                                    "2026\xff\xfe"
                                    "112500000",
                                    "20261125 0000000");
  std::fstream content(disk.node(), std::ios::binary | std::ios::in | std::ios::out);
  content.seekp(32768);
  content << std::string(
      "\x01"
      "CD001\x01",
      7);
  content.seekp(32768 + 813);
  content << date << std::string(1, '\0') << date << std::string(1, '\0');
  content.seekp(34816);
  content << std::string(
      "\xff"
      "CD001\x01",
      7);
  content.close();
  Node node;
  Agent agent(node, {&disk});
  for (const std::string& id : agent.ids(disk)) {
    CAPTURE(date, id);
    CHECK(std::ranges::all_of(id, [](unsigned char c) { return c > ' ' && c < 0x7f; }));
  }
}

TEST_CASE(
    "copies of a disk have ids of their own, and the one that is mounted is told by the short "
    "one") {
  const LoopDisk disk(kDiskBytes), copy(kDiskBytes);
  Node node;
  Agent agent(node, {&disk, &copy});
  std::string id;
  if (GENERATE(true, false)) {
    id = agent.new_volume(disk);
    REQUIRE(agent.format(id) == "OK");
  } else {
    run({"/usr/sbin/mkfs.ext4", "-q", disk.node()});
    id = agent.id(disk);
  }
  test::clone(disk, copy);
  const std::string first = copy_id(id, disk), second = copy_id(id, copy);
  CHECK(agent.ids(disk) == Ids{first});
  CHECK(agent.ids(copy) == Ids{second});
  const Result<bool> ambiguous = agent.service().is_formatted(id);
  REQUIRE_FALSE(ambiguous);
  CHECK(ambiguous.error().code() == StatusCode::kFailedPrecondition);
  CHECK_THAT(ambiguous.error().message(), Catch::Contains(first) && Catch::Contains(second));
  CHECK(agent.mount(id, node.target("a")) == "FAILED_PRECONDITION");
  CHECK(agent.is_formatted(second) == "true");
  CHECK(*agent.service().disk_number_of(second) == copy.number());

  REQUIRE(agent.mount(second, node.target("b")) == "OK");
  CHECK(agent.id_at(node.target("b")) == second);
  // The short id may be of somebody who was told it when his copy was alone.
  CHECK_FALSE(agent.service().disk_number_of(id));
  CHECK(agent.mount(id, node.target("a")) == "FAILED_PRECONDITION");
  CHECK(agent.format(id) == "FAILED_PRECONDITION");
  CHECK(agent.resize(id, 0) == "FAILED_PRECONDITION");
  CHECK(agent.service().stats(id));
  // What is mounted on a target says which one is meant.
  CHECK(agent.mount(id, node.target("b")) == "OK");
  REQUIRE(agent.mount(first, node.target("a")) == "OK");
  CHECK(agent.is_formatted(id) == "FAILED_PRECONDITION");
  CHECK(agent.unmount(first, node.target("b")) == "FAILED_PRECONDITION");
  CHECK(agent.mount(id, node.target("a")) == "OK");
  CHECK(agent.unmount(id, node.target("a")) == "OK");
  CHECK(agent.unmount(id, node.target("b")) == "OK");
}

TEST_CASE("each of two copies may be formatted, and the call be repeated until it is mounted") {
  const LoopDisk disk(kDiskBytes), copy(kDiskBytes);
  Node node;
  Agent agent(node, {&disk, &copy});
  const std::string id = agent.new_volume(disk);
  test::clone(disk, copy);
  const std::string first = copy_id(id, disk), second = copy_id(id, copy);
  REQUIRE(agent.format(first) == "OK");
  REQUIRE(agent.format(second) == "OK");
  CHECK(agent.format(first) == "OK");
  REQUIRE(agent.mount(second, node.target("b")) == "OK");
  CHECK(agent.unmount(second, node.target("b")) == "OK");
  CHECK(agent.format(second) == "FAILED_PRECONDITION");
  CHECK(agent.format(first) == "OK");
}

TEST_CASE("copies of an xfs are mounted beside each other") {
  if (!there_is("mkfs.xfs")) return;
  const LoopDisk disk(300 * kMebibyte), copy(300 * kMebibyte);
  run({"/usr/sbin/mkfs.xfs", "-q", disk.node()});
  test::clone(disk, copy);
  Node node;
  Agent agent(node, {&disk, &copy});
  const std::string id = agent.id(disk);
  CHECK(agent.mount(id, node.target("a")) == "OK");
  CHECK(agent.mount(agent.id(copy), node.target("b")) == "OK");
  CHECK(agent.id_at(node.target("a")) == id);
  CHECK(agent.id_at(node.target("b")) == agent.id(copy));
}

TEST_CASE("an id with a disk's number holds for that disk only") {
  const LoopDisk disk(kDiskBytes), other(kDiskBytes);
  Node node;
  Agent agent(node, {&disk, &other});
  const std::string id = agent.new_volume(disk);
  const std::string other_id = agent.new_volume(other);
  CHECK(agent.is_formatted(copy_id(id, disk)) == "false");
  CHECK(agent.format(copy_id(id, other)) == "NOT_FOUND");
  CHECK(agent.format("DISKSEQ=" + std::to_string(other.number()) + "-2048") == "NOT_FOUND");
  CHECK(agent.format(copy_id(id, disk)) == "OK");
  CHECK(agent.format(id) == "OK");
  CHECK(agent.is_formatted(other_id) == "false");
  CHECK(agent.mount(copy_id(id, disk), node.target("target")) == "OK");
  CHECK(agent.mount(copy_id(id, disk), node.target("target")) == "OK");
  CHECK(agent.unmount(copy_id(id, other), node.target("target")) == "FAILED_PRECONDITION");
  CHECK(agent.unmount(copy_id(id, disk), node.target("target")) == "OK");
}

TEST_CASE("a filesystem that cannot grow is as it was, and large enough if nothing is lacking") {
  LoopDisk disk(kDiskBytes);
  Node node;
  Agent agent(node, {&disk});
  const std::string id = agent.new_volume(disk);
  run({"/usr/sbin/mkfs.ext3", "-q", disk.node() + "p1"});
  const uint64_t bytes = agent.service().stats(id)->total;
  CHECK(agent.resize(id, bytes) == "OK");
  CHECK(agent.resize(id, kDiskBytes) == "OK");
  CHECK(agent.resize(id, 0) == "OK");

  disk.grow(300 * kMebibyte);
  CHECK(agent.resize(id, bytes) == "OK");
  CHECK(agent.resize(id, 0) == "UNIMPLEMENTED");
  const Result<void> refused = agent.service().resize(id, 200 * kMebibyte, {}, "test");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code() == StatusCode::kUnimplemented);
  CHECK_THAT(refused.error().message(), Catch::Contains("it holds ext3"));
  CHECK(agent.service().stats(id)->total == bytes);
  std::ifstream sectors("/sys/class/block/" + disk.name() + "p1/size");
  uint64_t count = 0;
  CHECK((sectors >> count && count * 512 == bytes));
}

TEST_CASE("only filesystems of the allowed types are mounted and made") {
  const LoopDisk disk(kDiskBytes);
  Node node;
  Agent agent(node, {&disk});
  const std::string id = agent.new_volume(disk);
  const std::string target = node.target("target");
  run({"/usr/sbin/mkfs.ext3", "-q", disk.node() + "p1"});
  const Result<void> refused = agent.service().mount(id, target, {}, "test");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code() == StatusCode::kFailedPrecondition);
  CHECK_THAT(refused.error().message(), Catch::Contains(id) && Catch::Contains("type ext3") &&
                                            Catch::Contains("allowed_filesystems"));
  CHECK(agent.id_at(target) == "FAILED_PRECONDITION");  // nothing is mounted

  Agent other(node, {&disk}, {.allowed_filesystems = {"ext3"}});
  REQUIRE(other.mount(id, target) == "OK");
  CHECK(other.id_at(target) == id);
  CHECK(agent.mount(id, target) == "OK");  // it is there already
  CHECK(agent.unmount(id, target) == "OK");
}

TEST_CASE("no filesystem is made that could not be mounted") {
  const LoopDisk disk(kDiskBytes);
  Node node;
  Agent agent(node, {&disk}, {.filesystem = "ext4", .allowed_filesystems = {"xfs"}});
  const std::string id = agent.new_volume(disk);
  const Result<void> refused = agent.try_format(id);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code() == StatusCode::kFailedPrecondition);
  CHECK_THAT(refused.error().message(),
             Catch::Contains("type ext4") && Catch::Contains("allowed_filesystems"));
  CHECK(agent.is_formatted(id) == "false");
}

TEST_CASE("a disk with sectors of 4096 bytes has the whole life of a volume") {
  if (!there_is("mkfs.xfs")) return;
  LoopDisk disk(400 * kMebibyte, {.sector_size = 4096});
  Node node;
  Agent agent(node, {&disk}, {.filesystem = "xfs"});
  const std::string id = agent.new_volume(disk);
  CHECK(test::read_bytes(disk.node(), 4096, 8) == "EFI PART");
  CHECK(agent.ids(disk, 1) == Ids{id});
  CHECK(agent.service().stats(id)->total > 397 * kMebibyte);
  REQUIRE(agent.format(id) == "OK");
  CHECK(agent.is_formatted(id) == "true");
  const std::string target = node.target("target");
  REQUIRE(agent.mount(id, target) == "OK");
  test::write_file(target + "/file", "content");
  disk.grow(700 * kMebibyte);
  CHECK(agent.resize(id, 500 * kMebibyte) == "OK");
  CHECK(agent.service().stats(id)->total == 500 * kMebibyte);
  CHECK(agent.unmount(id, target) == "OK");
  CHECK(agent.resize(id, 0) == "OK");
  CHECK(agent.service().stats(id)->total > 690 * kMebibyte);
  REQUIRE(agent.mount(id, target) == "OK");
  CHECK(std::filesystem::file_size(target + "/file") == 7);
  CHECK(agent.id_at(target) == id);
  CHECK(agent.unmount(id, target) == "OK");
}

TEST_CASE("a full volume is told to be full and is unmounted") {
  const LoopDisk disk(kDiskBytes);
  Node node;
  Agent agent(node, {&disk});
  const std::string id = agent.new_volume(disk);
  REQUIRE(agent.format(id) == "OK");
  const std::string target = node.target("target");
  REQUIRE(agent.mount(id, target) == "OK");
  const std::string block(1 << 16, 'x');
  std::ofstream file(target + "/file");
  while (file.write(block.data(), static_cast<std::streamsize>(block.size())).flush()) {
  }
  file.close();
  const Result<VolumeStats> stats = agent.service().stats(id);
  REQUIRE(stats);
  // ext4 keeps a few blocks for its own distress.
  CHECK(stats->total - stats->used < 2 * kMebibyte);
  CHECK_THROWS(test::write_file(target + "/more", block));
  CHECK(outcome(agent.service().flush(id)) == "OK");
  CHECK(agent.unmount(id, target) == "OK");
  CHECK(agent.service().stats(id)->total == stats->total);
  CHECK(agent.mount(id, target) == "OK");
}

TEST_CASE("a disk that is pulled out while it is mounted is let go") {
  LoopDisk disk(kDiskBytes);
  Node node;
  Agent agent(node, {&disk});
  const std::string id = agent.new_volume(disk);
  REQUIRE(agent.format(id) == "OK");
  const std::string target = node.target("target");
  REQUIRE(agent.mount(id, target) == "OK");
  test::write_file(target + "/file", "content");
  disk.clear();
  CHECK(agent.unmount(id, target) == "OK");
  CHECK(agent.id_at(target) == "FAILED_PRECONDITION");
  // The kernel lets it go when all have closed it, and whoever looks at disks has it open.
  CHECK(test::eventually(
      [&] { return outcome(agent.service().list(disk.number(), 0)) == "NOT_FOUND"; }));
  CHECK(once_readable([&] { return agent.resize(id, 0); }) == "NOT_FOUND");
  CHECK(agent.partition(disk) == "NOT_FOUND");
}

TEST_CASE("a volume that is unmounted while it grows has its size in the end") {
  if (!there_is("mkfs.xfs")) return;
  LoopDisk disk(400 * kMebibyte);
  Node node;
  Agent agent(node, {&disk}, {.filesystem = "xfs"}), other(node, {&disk});
  const std::string id = agent.new_volume(disk);
  REQUIRE(agent.format(id) == "OK");
  const std::string target = node.target("target");
  for (uint64_t size = 500; size <= 800; size += 100) {
    REQUIRE(agent.mount(id, target) == "OK");
    disk.grow((size + 100) * kMebibyte);
    auto resized =
        std::async(std::launch::async, [&] { return agent.resize(id, size * kMebibyte); });
    // It may be in use by the other for the moment.
    std::string unmounted;
    do {
      unmounted = other.unmount(id, target);
    } while (unmounted == "FAILED_PRECONDITION");
    CHECK(unmounted == "OK");
    const std::string raced = resized.get();
    CAPTURE(size, raced);
    CHECK((raced == "OK" || raced == "FAILED_PRECONDITION"));
    CHECK(agent.resize(id, size * kMebibyte) == "OK");
    CHECK(agent.service().stats(id)->total == size * kMebibyte);
  }
}

}  // namespace
}  // namespace longshore::volume
