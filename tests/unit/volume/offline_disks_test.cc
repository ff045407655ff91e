// Disks that are offline beside others that are not: copies, a btrfs on several disks, SCSI disks
// that are offline in the kernel as well; and who mounts while another takes the disk offline.
#include <deque>
#include <future>
#include <optional>

#include "support/linux/block/offline_record.h"
#include "support/linux/block/opened_disk.h"
#include "tests/unit/volume/disk_world.h"
#include "tests/unit/volume/run_program.h"
#include "tests/unit/volume/seen_disk.h"

namespace longshore::volume {
namespace {

using disk::DiskState;
using test::LoopDisk;
using test::WritableNode;

std::string with_number(const std::string& id, const LoopDisk& disk) {
  return id + "@" + std::to_string(disk.number());
}

std::string message(const Result<void>& result) {
  REQUIRE_FALSE(result);
  return result.error().message();
}

TEST_CASE("an offline disk is so for every agent, also for one that starts later") {
  const LoopDisk disk(kDiskBytes);
  const WritableNode writable(disk.node());
  Node node;
  const std::string id = Agent(node, {&disk}).new_volume(disk);
  REQUIRE(Agent(node, {&disk}).set_online(disk, false) == "OK");
  Agent other(node, {&disk});
  CHECK(other.state(disk) == DiskState{.online = false, .read_only = false});
  CHECK(other.format(id) == "FAILED_PRECONDITION");
  CHECK(other.set_online(disk, false) == "OK");
  CHECK(other.set_online(disk, true) == "OK");
  CHECK(Agent(node, {&disk}).format(id) == "OK");
}

TEST_CASE("a disk stays online where that it is offline could not be recorded") {
  const LoopDisk disk(kDiskBytes);  // its node is read-only here
  Node node;
  Agent agent(node, {&disk});
  const std::string id = agent.new_volume(disk);
  CHECK(agent.set_online(disk, true) == "OK");
  const Result<void> refused = agent.try_set_online(disk, false);
  CHECK_THAT(message(refused), Catch::Contains(disk.node()) && Catch::Contains("devtmpfs"));
  CHECK(refused.error().code() == StatusCode::kUnimplemented);
  CHECK(agent.state(disk).online);
  CHECK(agent.format(id) == "OK");
}

TEST_CASE("who uses a disk is told to who would take it offline") {
  const LoopDisk disk(kDiskBytes);
  const WritableNode writable(disk.node());
  Node node;
  Agent agent(node, {&disk});
  const std::string id = agent.new_volume(disk), target = node.target("target");
  REQUIRE(agent.format(id) == "OK");
  REQUIRE(agent.mount(id, target) == "OK");
  CHECK_THAT(message(agent.try_set_online(disk, false)), Catch::Contains("the mount " + target));
  CHECK(agent.id_at(target) == id);
  REQUIRE(agent.unmount(id, target) == "OK");
  // A claim alone, of which no list tells.
  const FileDescriptor claimed(::open((disk.node() + "p1").c_str(), O_RDONLY | O_EXCL | O_CLOEXEC));
  REQUIRE(claimed);
  // Where another test runs mkfs.btrfs, that has each disk of the machine open for a moment.
  CHECK_THAT(message(agent.try_set_online(disk, false)),
             Catch::Contains("something uses it") || Catch::Contains(" has the device open"));
  CHECK(agent.state(disk).online);
}

TEST_CASE("a copy on an offline disk is not in the way of the original") {
  const LoopDisk disk(kDiskBytes), copy(kDiskBytes);
  const WritableNode writable(disk.node()), writable_copy(copy.node());
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
  const std::string first = with_number(id, disk), second = with_number(id, copy);
  REQUIRE(agent.is_formatted(id) == "FAILED_PRECONDITION");  // which one?
  REQUIRE(agent.set_online(copy, false) == "OK");

  CHECK(agent.ids(disk) == Ids{id});
  CHECK(agent.is_formatted(id) == "true");
  CHECK(agent.is_formatted(first) == "true");
  CHECK(*agent.service().disk_number_of(id) == disk.number());
  CHECK(agent.mount(id, node.target("a")) == "OK");
  CHECK(agent.id_at(node.target("a")) == id);
  CHECK(agent.set_online(disk, false) == "FAILED_PRECONDITION");

  CHECK(agent.mount(second, node.target("b")) == "FAILED_PRECONDITION");
  CHECK(agent.id_at(node.target("b")) == "FAILED_PRECONDITION");
  CHECK(*agent.service().disk_number_of(second) == copy.number());
  CHECK(agent.unmount(second, node.target("b")) == "OK");
  // Both are there again, and the mount tells by the target.
  REQUIRE(agent.set_online(copy, true) == "OK");
  CHECK(agent.ids(disk) == Ids{first});
  CHECK(agent.mount(id, node.target("b")) == "FAILED_PRECONDITION");
  CHECK(agent.unmount(id, node.target("a")) == "OK");
}

TEST_CASE("two copies that are both offline are told apart by their disks only") {
  const LoopDisk disk(kDiskBytes), copy(kDiskBytes);
  const WritableNode writable(disk.node()), writable_copy(copy.node());
  Node node;
  Agent agent(node, {&disk, &copy});
  const std::string id = agent.new_volume(disk);
  test::clone(disk, copy);
  for (const LoopDisk* each : {&disk, &copy}) REQUIRE(agent.set_online(*each, false) == "OK");
  const Result<uint32_t> ambiguous = agent.service().disk_number_of(id);
  REQUIRE_FALSE(ambiguous);
  CHECK_THAT(ambiguous.error().message(),
             Catch::Contains(with_number(id, disk)) && Catch::Contains(with_number(id, copy)));
  CHECK(*agent.service().disk_number_of(with_number(id, copy)) == copy.number());
}

TEST_CASE("what somebody mounted by hand from an offline disk is named and unmounted") {
  const LoopDisk disk(kDiskBytes);
  const WritableNode writable(disk.node());
  Node node;
  Agent agent(node, {&disk});
  const std::string id = agent.new_volume(disk), target = node.target("target");
  REQUIRE(agent.format(id) == "OK");
  REQUIRE(agent.set_online(disk, false) == "OK");
  REQUIRE(::mount((disk.node() + "p1").c_str(), target.c_str(), "ext4", 0, nullptr) == 0);
  CHECK(agent.id_at(target) == id);
  CHECK(outcome(agent.service().stats(id)) == "FAILED_PRECONDITION");
  CHECK(outcome(agent.service().flush(id)) == "OK");
  CHECK(agent.unmount("PARTUUID=1", target) == "FAILED_PRECONDITION");
  CHECK(agent.unmount(id, target) == "OK");
  CHECK(agent.id_at(target) == "FAILED_PRECONDITION");
}

TEST_CASE("a btrfs of which one disk is offline is not served") {
  if (!there_is("mkfs.btrfs")) return;
  constexpr uint64_t kBytes = 300 * kMebibyte;
  const LoopDisk disk(kBytes), second(kBytes);
  const WritableNode writable(disk.node()), writable_second(second.node());
  run({"/usr/sbin/mkfs.btrfs", "-q", disk.node(), second.node()});
  Node node;
  Agent agent(node, {&disk, &second});
  const std::string id = agent.id(disk), target = node.target("target");
  const LoopDisk& away = GENERATE(true, false) ? disk : second;
  const LoopDisk& here = &away == &disk ? second : disk;
  REQUIRE(agent.set_online(away, false) == "OK");
  const Result<void> refused = agent.service().mount(id, target, {}, "test");
  CHECK_THAT(message(refused),
             Catch::Contains("disk " + std::to_string(away.number()) + " is offline"));
  CHECK(outcome(agent.service().list(away.number(), 0)) == "FAILED_PRECONDITION");
  CHECK(*agent.service().disk_number_of(id) == disk.number());
  CHECK(agent.id_at(target) == "FAILED_PRECONDITION");
  REQUIRE(agent.set_online(away, true) == "OK");
  REQUIRE(agent.mount(id, target) == "OK");
  CHECK(agent.set_online(here, false) == "FAILED_PRECONDITION");
  CHECK(agent.set_online(away, false) == "FAILED_PRECONDITION");
  CHECK(agent.unmount(id, target) == "OK");
}

TEST_CASE("copies of a btrfs on two disks are not in its way while they are offline") {
  if (!there_is("mkfs.btrfs")) return;
  constexpr uint64_t kBytes = 300 * kMebibyte;
  std::deque<LoopDisk> disks;
  std::deque<WritableNode> nodes;
  for (int place = 0; place < 4; ++place) nodes.emplace_back(disks.emplace_back(kBytes).node());
  run({"/usr/sbin/mkfs.btrfs", "-q", disks[0].node(), disks[1].node()});
  test::clone(disks[0], disks[2]);
  test::clone(disks[1], disks[3]);
  Node node;
  Agent agent(node, {&disks[0], &disks[1], &disks[2], &disks[3]});
  // Whichever come first.
  const size_t away = GENERATE(size_t{0}, size_t{2}), here = 2 - away;
  for (const size_t place : {away, away + 1}) {
    REQUIRE(agent.set_online(disks[place], false) == "OK");
  }
  const std::string id = agent.id(disks[here]);
  CHECK(id.find('@') == std::string::npos);
  CHECK(agent.ids(disks[here + 1]).empty());
  CHECK(*agent.service().disk_number_of(id) == disks[here].number());
  CHECK(agent.is_formatted(id) == "true");
  for (const size_t place : {away, away + 1}) {
    CHECK(agent.mount(with_number(id, disks[place]), node.target("target")) ==
          "FAILED_PRECONDITION");
  }
}

TEST_CASE("a SCSI disk is offline in the kernel too where that is asked for") {
  const LoopDisk disk(kDiskBytes);
  const WritableNode writable(disk.node());
  Node node;
  Agent agent(node, {&disk});
  const std::string id = agent.new_volume(disk);
  REQUIRE(agent.format(id) == "OK");
  const Seen seen(node, disk);
  seen.make_scsi();
  const bool in_kernel = GENERATE(false, true);
  Agent seeing(node, {&disk}, {.sysfs_root = seen.root(), .offline_in_kernel = in_kernel});
  const std::string state = in_kernel ? "offline\n" : "running\n";
  for (int times = 0; times < 2; ++times) {
    REQUIRE(seeing.set_online(disk, false) == "OK");
    CHECK(seen.read("device/state") == state);
    CHECK_FALSE(seeing.state(disk).online);
    CHECK(outcome(seeing.service().list(disk.number(), 0)) == "FAILED_PRECONDITION");
  }
  // As GCP PD and AWS EBS do: the table is there, so it is left as it is.
  CHECK(seeing.partition(disk) == "OK");
  CHECK(seen.read("device/state") == "running\n");
  CHECK_FALSE(seeing.state(disk).online);
  CHECK(outcome(seeing.service().list(disk.number(), 0)) == "FAILED_PRECONDITION");
  // To take it offline once more is no empty promise.
  CHECK(seeing.set_online(disk, false) == "OK");
  CHECK(seen.read("device/state") == state);
  CHECK(seeing.set_online(disk, true) == "OK");
  CHECK(seen.read("device/state") == "running\n");
  CHECK(seeing.state(disk).online);
  CHECK(seeing.ids(disk) == Ids{id});
  CHECK(seeing.is_formatted(id) == "true");
}

TEST_CASE("a disk that the kernel took offline is not partitioned, and runs again on demand") {
  const LoopDisk disk(kDiskBytes);
  const WritableNode writable(disk.node());
  Node node;
  Agent agent(node, {&disk});
  const std::string id = agent.new_volume(disk);
  const Seen seen(node, disk);
  seen.make_scsi();
  Agent seeing(node, {&disk}, {.sysfs_root = seen.root()});
  seen.put("device/state", "offline\n");
  CHECK(seeing.partition(disk) == "FAILED_PRECONDITION");
  CHECK(seen.read("device/state") == "offline\n");
  CHECK_FALSE(seeing.state(disk).online);
  CHECK(seeing.set_online(disk, false) == "OK");
  CHECK(outcome(seeing.service().list(disk.number(), 0)) == "UNAVAILABLE");
  CHECK(seeing.set_online(disk, true) == "OK");
  CHECK(seen.read("device/state") == "running\n");
  CHECK(seeing.ids(disk) == Ids{id});

  // What the transport has blocked is not let loose by who partitions.
  REQUIRE(seeing.set_online(disk, false) == "OK");
  seen.put("device/state", "blocked\n");
  CHECK(seeing.partition(disk) == "FAILED_PRECONDITION");
  CHECK(seen.read("device/state") == "blocked\n");
  CHECK(seeing.set_online(disk, true) == "OK");
  CHECK(seeing.state(disk).online);
}

TEST_CASE("a disk that is no SCSI disk is not told to run") {
  const LoopDisk disk(kDiskBytes);
  Node node;
  const Seen seen(node, disk);
  seen.put("device/state", "dead\n");
  Agent seeing(node, {&disk}, {.sysfs_root = seen.root()});
  const Result<void> refused = seeing.try_set_online(disk, true);
  CHECK_THAT(message(refused), Catch::Contains("it is dead"));
  CHECK(refused.error().code() == StatusCode::kFailedPrecondition);
  CHECK(seen.read("device/state") == "dead\n");
}

// What happens while the disk's lock is waited for, between the look at the record without it and
// the one with it.
TEST_CASE("a change that waits for the disk's lock heeds that the disk went offline meanwhile") {
  const LoopDisk disk(kDiskBytes);
  const WritableNode writable(disk.node());
  Node node;
  Agent agent(node, {&disk});
  const std::string id = agent.new_volume(disk), target = node.target("target");
  const std::string method = GENERATE("mount", "format", "resize");
  CAPTURE(method);
  if (method != "format") REQUIRE(agent.format(id) == "OK");
  const block::Disk locked =
      *block::BlockDevices(*block::DiskNames::from({disk.name()})).disk(disk.number(), "test");
  std::optional<block::DiskLock> lock = *block::DiskLock::take(locked, {}, "test");
  // It is asked each time that the lock is tried again.
  int times_asked = 0;
  Deadline deadline;
  deadline.cancelled = [&] {
    if (++times_asked == 10) {
      REQUIRE(block::record_offline(lock->descriptor(), locked, "test"));
      lock.reset();
    }
    return false;
  };
  VolumeService& service = agent.service();
  const Result<void> refused = method == "mount"    ? service.mount(id, target, deadline, "test")
                               : method == "format" ? service.format(id, deadline, "test")
                                                    : service.resize(id, 0, deadline, "test");
  CHECK(times_asked >= 10);
  CHECK_THAT(message(refused), Catch::Contains("is offline"));
  CHECK(agent.id_at(target) == "FAILED_PRECONDITION");
  REQUIRE(agent.set_online(disk, true) == "OK");
  CHECK(agent.is_formatted(id) == (method == "format" ? "false" : "true"));
}

TEST_CASE("a volume is never mounted from a disk that is taken offline meanwhile") {
  const LoopDisk disk(kDiskBytes);
  const WritableNode writable(disk.node());
  Node node;
  Agent agent(node, {&disk}), other(node, {&disk});
  const std::string id = agent.new_volume(disk), target = node.target("target");
  REQUIRE(agent.format(id) == "OK");
  for (int round = 0; round < 50; ++round) {
    auto offline = std::async(std::launch::async, [&] { return other.set_online(disk, false); });
    const std::string mounted = agent.mount(id, target);
    const std::string taken = offline.get();
    CAPTURE(round, mounted, taken);
    // One of them wins.
    CHECK((mounted == "OK") != (taken == "OK"));
    CHECK(agent.state(disk).online == (mounted == "OK"));
    CHECK(agent.id_at(target) == (mounted == "OK" ? id : "FAILED_PRECONDITION"));
    REQUIRE(agent.unmount(id, target) == "OK");
    REQUIRE(agent.set_online(disk, true) == "OK");
  }
}

}  // namespace
}  // namespace longshore::volume
