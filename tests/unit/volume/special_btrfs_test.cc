// A btrfs on several whole disks.
#include "tests/unit/volume/disk_world.h"
#include "tests/unit/volume/run_program.h"

namespace longshore::volume {
namespace {

using test::LoopDisk;

constexpr uint64_t kBtrfsDiskBytes = 300 * kMebibyte;

// Whichever of the two is the first device of the btrfs.
void make_btrfs(const LoopDisk& disk, const LoopDisk& second) {
  const bool in_order = GENERATE(true, false);
  CAPTURE(in_order);
  run({"/usr/sbin/mkfs.btrfs", "-q", (in_order ? disk : second).node(),
       (in_order ? second : disk).node()});
}

TEST_CASE("a btrfs on two disks is one volume on the first") {
  if (!there_is("mkfs.btrfs")) return;
  const LoopDisk disk(kBtrfsDiskBytes), second(kBtrfsDiskBytes);
  make_btrfs(disk, second);
  Node node;
  Agent agent(node, {&second, &disk});
  const std::string id = agent.id(disk);
  CHECK(id.starts_with("UUID="));
  CHECK(agent.ids(second).empty());
  CHECK(*agent.service().disk_number_of(id) == disk.number());
  CHECK(agent.partition(disk) == "FAILED_PRECONDITION");
  CHECK(agent.partition(second) == "FAILED_PRECONDITION");
  const std::string target = node.target("target");
  REQUIRE(agent.mount(id, target) == "OK");
  CHECK(agent.mount(id, target) == "OK");
  CHECK(agent.id_at(target) == id);
  CHECK(agent.service().stats(id)->total == 2 * kBtrfsDiskBytes);
  CHECK(agent.unmount(id, target) == "OK");
}

TEST_CASE("a btrfs on two disks grows on the one that its volume is on") {
  if (!there_is("mkfs.btrfs")) return;
  LoopDisk disk(kBtrfsDiskBytes), second(kBtrfsDiskBytes);
  make_btrfs(disk, second);
  Node node;
  Agent agent(node, {&disk, &second});
  const std::string id = agent.id(disk), target = node.target("target");
  if (GENERATE(true, false)) REQUIRE(agent.mount(id, target) == "OK");
  disk.grow(2 * kBtrfsDiskBytes);
  CHECK(agent.resize(id, 0) == "OK");
  CHECK(agent.resize(id, 0) == "OK");
  REQUIRE(agent.mount(id, target) == "OK");
  CHECK(agent.service().stats(id)->total == 3 * kBtrfsDiskBytes);
}

TEST_CASE("copies of a btrfs on two disks are not mixed with it") {
  if (!there_is("mkfs.btrfs")) return;
  const LoopDisk disk(kBtrfsDiskBytes), second(kBtrfsDiskBytes), copy(kBtrfsDiskBytes),
      second_copy(kBtrfsDiskBytes);
  make_btrfs(disk, second);
  test::clone(disk, copy);
  test::clone(second, second_copy);
  Node node;
  Agent agent(node, {&disk, &second, &copy, &second_copy});
  for (const LoopDisk* each : {&disk, &second, &copy, &second_copy}) {
    CHECK(agent.id(*each).ends_with("@" + std::to_string(each->number())));
  }
}

}  // namespace
}  // namespace longshore::volume
