// Volumes that share their disk with other partitions, and how far they can grow.
#include "tests/unit/volume/disk_world.h"
#include "tests/unit/volume/run_program.h"

namespace longshore::volume {
namespace {

using test::LoopDisk;

// The first 64 KiB, in which a GPT is.
std::string gpt_bytes(const LoopDisk& disk) { return test::read_bytes(disk.node(), 0, 64 << 10); }

TEST_CASE("a volume with a neighbour grows up to it, and is not said to have grown further") {
  const LoopDisk disk(kDiskBytes);
  test::write_table(disk,
                    "label: gpt\n"
                    "start=2048, size=16MiB\n"
                    "start=34816, size=8MiB\n");
  Node node;
  Agent agent(node, {&disk});
  const std::string id = agent.ids(disk, 1).front();
  REQUIRE(agent.format(id) == "OK");
  const std::string table = gpt_bytes(disk);
  CHECK(agent.resize(id, 40 * kMebibyte) == "OUT_OF_RANGE");
  CHECK(agent.resize(id, 16 * kMebibyte) == "OK");
  CHECK(agent.resize(id, 0) == "OK");
  CHECK((gpt_bytes(disk) == table));
}

TEST_CASE("a volume with another before it is not said to have grown over that") {
  const LoopDisk disk(kDiskBytes);
  test::write_table(disk,
                    "label: gpt\n"
                    "start=2048, size=30MiB\n"
                    "start=63488\n");
  Node node;
  Agent agent(node, {&disk});
  const std::string id = agent.ids(disk, 2).front();
  const std::string type = GENERATE("ext4", "ext3");
  REQUIRE(agent.format(id) == "OK");
  if (type == "ext3") run({"/usr/sbin/mkfs.ext3", "-q", "-F", disk.node() + "p2"});
  const std::string too_much = type == "ext3" ? "UNIMPLEMENTED" : "OUT_OF_RANGE";
  const uint64_t total = agent.service().stats(id)->total;
  CHECK(agent.resize(id, 62 * kMebibyte) == too_much);
  CHECK(agent.resize(id, kDiskBytes) == too_much);
  CHECK(agent.resize(id, total) == "OK");
  CHECK(agent.resize(id, 0) == "OK");
  CHECK(agent.service().stats(id)->total == total);
}

TEST_CASE("a volume behind Microsoft's reserved partition has all of the disk that it can have") {
  if (!there_is("mkfs.xfs")) return;
  constexpr uint64_t kLarge = 400 * kMebibyte;
  const LoopDisk disk(kLarge);
  test::write_table(
      disk, "label: gpt\nsize=16MiB, type=E3C9E316-0B5C-4DB8-817D-F92DF00215AE\nsize=310MiB\n");
  Node node;
  Agent agent(node, {&disk}, {.filesystem = "xfs"});
  const std::string id = agent.id(disk);
  REQUIRE(agent.format(id) == "OK");
  CHECK(agent.resize(id, kLarge) == "OK");
  CHECK(agent.service().stats(id)->total > kLarge - 19 * kMebibyte);
}

}  // namespace
}  // namespace longshore::volume
