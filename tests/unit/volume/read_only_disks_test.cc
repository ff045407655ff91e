// Disks that are read-only by the kernel's flag, which can be cleared, or by themselves.
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>

#include <optional>

#include "tests/unit/volume/disk_world.h"
#include "tests/unit/volume/run_program.h"

namespace longshore::volume {
namespace {

using test::LoopDisk;
using test::WriteProtection;

bool is_read_only(const std::string& node) {
  const FileDescriptor opened(::open(node.c_str(), O_RDONLY | O_CLOEXEC));
  int is_set = 0;
  REQUIRE(::ioctl(opened.get(), BLKROGET, &is_set) == 0);
  return is_set != 0;
}

void set_read_only(const std::string& node) {
  const FileDescriptor opened(::open(node.c_str(), O_RDONLY | O_CLOEXEC));
  const int on = 1;
  REQUIRE(::ioctl(opened.get(), BLKROSET, &on) == 0);
}

TEST_CASE("a write-protected disk is mounted for reading where that is wanted, and nothing else") {
  const LoopDisk disk(kDiskBytes), formatted(kDiskBytes), blank(kDiskBytes);
  Node node;
  Agent agent(node, {&disk, &formatted, &blank});
  const std::string id = agent.new_volume(disk);
  const std::string full_id = agent.new_volume(formatted);
  REQUIRE(agent.format(full_id) == "OK");
  const WriteProtection on_formatted(formatted), on_blank(blank);
  std::optional<WriteProtection> on_disk(std::in_place, disk);

  CHECK(agent.partition(blank) == "FAILED_PRECONDITION");
  CHECK(agent.partition(disk) == "OK");
  CHECK(agent.format(id) == "FAILED_PRECONDITION");
  CHECK(agent.is_formatted(id) == "false");
  CHECK(agent.resize(full_id, 0) == "OK");  // nothing is to grow
  const std::string target = node.target("target");
  const Result<void> refused = agent.service().mount(full_id, target, {}, "test");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code() == StatusCode::kFailedPrecondition);
  CHECK_THAT(refused.error().message(),
             Catch::Contains(full_id) && Catch::Contains("its disk is read-only") &&
                 Catch::Contains("clear_read_only") && Catch::Contains("mount_read_only_disks"));
  CHECK(agent.id_at(target) == "FAILED_PRECONDITION");

  Agent reader(node, {&disk, &formatted, &blank}, {.mount_read_only_disks = true});
  REQUIRE(reader.mount(full_id, target) == "OK");
  CHECK_THROWS(test::write_file(target + "/file", "content"));
  CHECK(std::filesystem::exists(target + "/lost+found"));
  CHECK(outcome(reader.service().flush(full_id)) == "OK");
  CHECK(agent.mount(full_id, target) == "OK");  // it is there already
  CHECK(agent.unmount(full_id, target) == "OK");

  on_disk.reset();
  CHECK(agent.format(id) == "OK");
  CHECK(reader.mount(id, target) == "OK");
  CHECK_NOTHROW(test::write_file(target + "/file", "content"));
}

TEST_CASE("a partition that is read-only alone is heeded as the disk is") {
  const LoopDisk disk(kDiskBytes);
  Node node;
  Agent agent(node, {&disk});
  const std::string id = agent.new_volume(disk), target = node.target("target");
  REQUIRE(agent.format(id) == "OK");
  set_read_only(disk.node() + "p1");
  CHECK(agent.state(disk).read_only);
  const Result<void> refused = agent.service().mount(id, target, {}, "test");
  REQUIRE_FALSE(refused);
  CHECK_THAT(refused.error().message(), Catch::Contains("its partition is read-only"));
  Agent reader(node, {&disk}, {.mount_read_only_disks = true});
  REQUIRE(reader.mount(id, target) == "OK");
  CHECK_THROWS(test::write_file(target + "/file", "content"));
}

TEST_CASE("bringing a disk online clears the kernel's flag only where that is asked for") {
  const LoopDisk disk(kDiskBytes);
  const test::WritableNode writable(disk.node());
  Node node;
  Agent agent(node, {&disk}), clearing(node, {&disk}, {.clear_read_only = true});
  const std::string id = agent.new_volume(disk), partition = disk.node() + "p1";
  const WriteProtection protection(disk);
  set_read_only(partition);
  const bool was_offline = GENERATE(false, true);
  CAPTURE(was_offline);
  if (was_offline) REQUIRE(agent.set_online(disk, false) == "OK");

  CHECK(agent.set_online(disk, true) == "OK");
  CHECK(is_read_only(disk.node()));
  CHECK(is_read_only(partition));
  CHECK(agent.state(disk) == disk::DiskState{.online = true, .read_only = true});

  if (was_offline) REQUIRE(agent.set_online(disk, false) == "OK");
  for (int times = 0; times < 2; ++times) {
    CHECK(clearing.set_online(disk, true) == "OK");
    CHECK_FALSE(is_read_only(disk.node()));
    CHECK_FALSE(is_read_only(partition));
  }
  CHECK(agent.state(disk) == disk::DiskState{.online = true, .read_only = false});
  CHECK(agent.format(id) == "OK");
}

TEST_CASE("a disk that is read-only by itself stays so, and is told to be") {
  const LoopDisk disk(kDiskBytes, {.read_only = true});
  const test::WritableNode writable(disk.node());
  Node node;
  Agent agent(node, {&disk}, {.clear_read_only = true});
  REQUIRE(agent.set_online(disk, false) == "OK");
  CHECK(agent.set_online(disk, true) == "OK");
  CHECK(agent.state(disk) == disk::DiskState{.online = true, .read_only = true});
  CHECK(is_read_only(disk.node()));
}

constexpr uint64_t kUncleanBytes = 400 * kMebibyte;

// Makes the copy what a disk is after the power failed while its filesystem was mounted.
void put_unclean(Node& node, const std::string& type, const LoopDisk& copy) {
  const LoopDisk disk(kUncleanBytes);
  run({"/usr/sbin/mkfs." + type, "-q", disk.node()});
  Agent agent(node, {&disk});
  const std::string id = agent.id(disk), target = node.target("target");
  REQUIRE(agent.mount(id, target) == "OK");
  test::write_file(target + "/file", "content");
  const FileDescriptor file(::open((target + "/file").c_str(), O_RDONLY | O_CLOEXEC));
  REQUIRE(::fsync(file.get()) == 0);
  test::clone(disk, copy);
  REQUIRE(::umount2(target.c_str(), MNT_DETACH) == 0);
}

TEST_CASE("a filesystem that was not unmounted is refused on a read-only disk, with the reason") {
  const std::string type = GENERATE("ext4", "xfs", "btrfs");
  CAPTURE(type);
  if (!there_is("mkfs." + type)) return;
  const LoopDisk copy(kUncleanBytes);
  Node node;
  put_unclean(node, type, copy);
  Agent reader(node, {&copy}, {.mount_read_only_disks = true});
  const std::string id = reader.id(copy), target = node.target("target");
  {
    const WriteProtection protection(copy);
    const Result<void> refused = reader.service().mount(id, target, {}, "test");
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code() == StatusCode::kFailedPrecondition);
    CHECK_THAT(refused.error().message(),
               Catch::Contains("its journal is not empty") &&
                   Catch::Contains("not unmounted properly") && Catch::Contains("read-only") &&
                   Catch::Contains("skip_journal_replay = true of the module volume"));
    CHECK(reader.id_at(target) == "FAILED_PRECONDITION");
  }
  CHECK(reader.mount(id, target) == "OK");
  CHECK(std::filesystem::file_size(target + "/file") == 7);
  CHECK(reader.warnings().empty());
}

TEST_CASE("a filesystem that was not unmounted is mounted without its journal where that is set") {
  const std::string type = GENERATE("ext4", "xfs", "btrfs");
  CAPTURE(type);
  if (!there_is("mkfs." + type)) return;
  const LoopDisk copy(kUncleanBytes);
  Node node;
  put_unclean(node, type, copy);
  Agent reader(node, {&copy}, {.mount_read_only_disks = true, .skip_journal_replay = true});
  const std::string id = reader.id(copy), target = node.target("target");
  {
    const WriteProtection protection(copy);
    REQUIRE(reader.mount(id, target) == "OK");
    REQUIRE(reader.warnings().size() == 1);
    CHECK_THAT(reader.warnings().front(), Catch::Contains(id) && Catch::Contains(target) &&
                                              Catch::Contains("without what its journal holds"));
    CHECK_THROWS(test::write_file(target + "/other", "content"));
    CHECK(reader.unmount(id, target) == "OK");
  }
  // Nothing was written meanwhile: a writable disk still gets all of it.
  REQUIRE(reader.mount(id, target) == "OK");
  CHECK(std::filesystem::file_size(target + "/file") == 7);
  CHECK(reader.unmount(id, target) == "OK");
  const WriteProtection protection(copy);
  CHECK(reader.mount(id, target) == "OK");
  CHECK(reader.warnings().size() == 1);
}

TEST_CASE("a damaged filesystem on a read-only disk is not taken for one with a journal") {
  const LoopDisk disk(kDiskBytes);
  Node node;
  run({"/usr/sbin/mkfs.ext4", "-q", disk.node()});
  constexpr uint64_t kDescriptors = 2048;  // of the groups, with blocks of 1 KiB
  test::write_bytes(disk.node(), kDescriptors, std::string(1024, '\xff'));
  Agent reader(node, {&disk}, {.mount_read_only_disks = true, .skip_journal_replay = true});
  const WriteProtection protection(disk);
  const auto refused = reader.service().mount(reader.id(disk), node.target("target"), {}, "test");
  REQUIRE_FALSE(refused);
  CHECK_THAT(refused.error().message(),
             Catch::Contains("it may be damaged") && !Catch::Contains("journal"));
}

}  // namespace
}  // namespace longshore::volume
