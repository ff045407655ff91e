// Disks of which sysfs tells what loop disks never are: made up, with the disk's real content.
#include "tests/unit/volume/disk_world.h"
#include "tests/unit/volume/run_program.h"
#include "tests/unit/volume/seen_disk.h"

namespace longshore::volume {
namespace {

using test::LoopDisk;

TEST_CASE("what dm takes between two calls is in use, and not gone") {
  const LoopDisk disk(kDiskBytes);
  Node node;
  Agent agent(node, {&disk});
  const bool is_whole = GENERATE(true, false), has_table = GENERATE(true, false);
  if (!has_table) run({"/usr/sbin/mkfs.ext4", "-q", disk.node()});
  if (!has_table && !is_whole) return;
  const std::string id = has_table ? agent.new_volume(disk) : agent.id(disk);
  const Seen seen(node, disk);
  Agent seeing(node, {&disk}, {.sysfs_root = seen.root()});
  if (GENERATE(true, false)) REQUIRE(seeing.ids(disk) == Ids{id});  // else it was never seen
  seen.put_holder(is_whole ? "" : seen.partition());

  const auto check_held = [&](const auto& answer) {
    REQUIRE_FALSE(answer);
    CHECK(answer.error().code() == StatusCode::kFailedPrecondition);
    CHECK_THAT(
        answer.error().message(),
        Catch::Contains((is_whole ? disk.name() : seen.partition()) + " is a part of dm-0") &&
            Catch::Contains("blacklist of /etc/multipath.conf"));
  };
  // Drivers would take the first of an empty list.
  check_held(seeing.service().list(disk.number(), 0));
  check_held(seeing.service().list(disk.number(), 1));
  if (is_whole) check_held(seeing.try_partition(disk));
  check_held(seeing.try_format(id));
  check_held(seeing.service().is_formatted(id));
  check_held(seeing.service().mount(id, node.target("target"), {}, "test"));
  check_held(seeing.service().resize(id, 0, {}, "test"));
  check_held(seeing.service().stats(id));
  check_held(seeing.service().disk_number_of(id));
  check_held(seeing.service().flush(id));
  check_held(seeing.try_format(id + "@" + std::to_string(disk.number())));
  CHECK(seeing.format("PARTUUID=1") == "NOT_FOUND");
  CHECK(agent.is_formatted(id) == (has_table ? "false" : "true"));
}

TEST_CASE("a held disk that cannot be read is not gone for who saw it before") {
  const LoopDisk disk(kDiskBytes);
  Node node;
  Agent agent(node, {&disk});
  const std::string id = agent.new_volume(disk);
  const Seen seen(node, disk);
  Agent seeing(node, {&disk}, {.sysfs_root = seen.root()});
  REQUIRE(seeing.is_formatted(id) == "false");
  seen.put_holder("");
  seen.put("device/state", "blocked\n");
  CHECK(seeing.is_formatted(id) == "FAILED_PRECONDITION");
  // A path that multipath does not use keeps nobody from the others.
  CHECK(seeing.is_formatted("PARTUUID=1") == "NOT_FOUND");
}

TEST_CASE("the advice fits who holds the disk") {
  const LoopDisk disk(kDiskBytes);
  Node node;
  const Seen seen(node, disk);
  seen.put_holder("");
  const bool is_multipath = GENERATE(true, false);
  seen.put("../dm-0/dm/name", is_multipath ? "mpatha\n" : "vg-lv\n");
  seen.put("../dm-0/dm/uuid", is_multipath ? "mpath-3600\n" : "LVM-x\n");
  Agent seeing(node, {&disk}, {.sysfs_root = seen.root()});
  const Result<void> refused = seeing.try_partition(disk);
  REQUIRE_FALSE(refused);
  CHECK_THAT(refused.error().message(),
             Catch::Contains(is_multipath ? "dm-0 (mpatha)" : "dm-0 (vg-lv)"));
  CHECK((refused.error().message().find("multipath -f mpatha") != std::string::npos) ==
        is_multipath);
}

TEST_CASE("a disk that cannot be read for the moment is not said to have no volumes") {
  const LoopDisk disk(kDiskBytes);
  Node node;
  Agent agent(node, {&disk});
  const std::string id = agent.new_volume(disk), target = node.target("target");
  REQUIRE(agent.format(id) == "OK");
  REQUIRE(agent.mount(id, target) == "OK");
  const Seen seen(node, disk);
  Agent seeing(node, {&disk}, {.sysfs_root = seen.root()});
  REQUIRE(seeing.id_at(target) == id);
  REQUIRE(seeing.is_formatted("PARTUUID=1") == "NOT_FOUND");
  REQUIRE(seeing.unmount("PARTUUID=1", target) == "FAILED_PRECONDITION");

  seen.put("device/state", "transport-offline\n");
  const Result<Ids> listed = seeing.service().list(disk.number(), 0);
  REQUIRE_FALSE(listed);
  CHECK(listed.error().code() == StatusCode::kUnavailable);
  const Result<bool> formatted = seeing.service().is_formatted(id);
  REQUIRE_FALSE(formatted);
  CHECK(formatted.error().code() == StatusCode::kUnavailable);
  CHECK_THAT(formatted.error().message(), Catch::Contains(disk.node()));
  CHECK(outcome(seeing.service().list(disk.number() + 1000, 0)) == "NOT_FOUND");

  seen.put("device/state", "running\n");
  CHECK(seeing.is_formatted(id) == "true");
  // The disk does not tell while it is away whose the mount is, and it must be let go.
  seen.put("device/state", "blocked\n");
  const std::string elsewhere = id + "@" + std::to_string(disk.number() + 1);
  for (const std::string& other : {std::string("PARTUUID=1"), elsewhere}) {
    CHECK(seeing.unmount(other, target) == "FAILED_PRECONDITION");
  }
  CHECK(seeing.unmount(id, target) == "OK");
  CHECK(agent.id_at(target) == "FAILED_PRECONDITION");
}

TEST_CASE("a volume whose disk is gone is written out and let go, with a warning") {
  const LoopDisk disk(kDiskBytes), other(kDiskBytes);
  Node node;
  Agent agent(node, {&disk});
  const std::string known = agent.new_volume(disk), target = node.target("target");
  REQUIRE(agent.format(known) == "OK");
  REQUIRE(agent.mount(known, target) == "OK");
  const Seen seen(node, disk);
  Agent seeing(node, {&disk}, {.sysfs_root = seen.root()});
  REQUIRE(seeing.flush(known) == "OK");
  CHECK(seeing.flush("PARTUUID=1") == "NOT_FOUND");
  REQUIRE(seeing.warnings().empty());

  seen.remove();
  // What other agents serve is not lost to this one.
  Agent foreign(node, {&other}, {.sysfs_root = seen.root()});
  CHECK(foreign.flush(known) == "NOT_FOUND");
  const std::string lost = seeing.id_at(target);
  CHECK_THAT(lost, Catch::StartsWith("LOST="));
  // AWS EBS does not unmount after an error.
  CHECK(*seeing.service().disk_number_of(lost) == 0);
  CHECK(outcome(seeing.service().disk_number_of("LOST=0:0")) == "NOT_FOUND");
  CHECK(seeing.is_formatted(lost) == "NOT_FOUND");
  CHECK(seeing.unmount("PARTUUID=1", target) == "FAILED_PRECONDITION");
  CHECK(seeing.unmount("LOST=0:0", target) == "FAILED_PRECONDITION");
  const std::string id = GENERATE(true, false) ? known : lost;
  CHECK(seeing.flush(id) == "OK");
  CHECK(seeing.unmount(id, target) == "OK");
  REQUIRE(seeing.warnings().size() == 2);
  for (const std::string& warning : seeing.warnings()) {
    CHECK_THAT(warning, Catch::Contains("\"" + target + "\"") &&
                            Catch::Contains("what was not written to it is lost"));
  }
  CHECK(seeing.flush(id) == "NOT_FOUND");
  CHECK(outcome(seeing.service().disk_number_of(lost)) == "NOT_FOUND");
  CHECK(seeing.unmount(id, target) == "OK");
  CHECK(seeing.warnings().size() == 2);
  CHECK(agent.id_at(target) == "FAILED_PRECONDITION");
}

TEST_CASE("a disk on which the kernel allows no partitions gets no table") {
  const LoopDisk disk(kDiskBytes);
  Node node;
  const Seen seen(node, disk);
  seen.put("ext_range", "1\n");
  Agent seeing(node, {&disk}, {.sysfs_root = seen.root()});
  const Result<void> refused = seeing.try_partition(disk);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code() == StatusCode::kFailedPrecondition);
  CHECK_THAT(refused.error().message(), Catch::Contains("allows no partitions"));
  CHECK((test::read_bytes(disk.node(), 0, 4096) == std::string(4096, '\0')));
}

}  // namespace
}  // namespace longshore::volume
