// Copies of a disk with an xfs of which the table got ids of its own, as sgdisk -G gives them: two
// volumes by their ids, and one filesystem by the kernel's rule.
#include <fcntl.h>

#include "tests/unit/volume/disk_world.h"
#include "tests/unit/volume/run_program.h"

namespace longshore::volume {
namespace {

using test::LoopDisk;

constexpr uint64_t kXfsBytes = 400 * kMebibyte;

void put_table(const LoopDisk& disk, char digit) {
  const std::string last(12, digit);
  test::write_table(disk, "label: gpt\nlabel-id: 11111111-0000-4000-8000-" + last +
                              "\nstart=2048, size=350MiB, uuid=22222222-0000-4000-8000-" + last +
                              "\n");
}

// The original, which is mounted, and its copy, on a node with an agent that serves the copy alone.
struct Copied {
  explicit Copied(const std::string& mounted_by) {
    put_table(original, 'a');
    Agent first(node, {&original}, {.filesystem = "xfs"});
    const std::string first_id = first.id(original);
    REQUIRE(first.format(first_id) == "OK");
    test::clone(original, copy);
    put_table(copy, 'b');
    id = agent.id(copy);
    REQUIRE(id != first_id);
    REQUIRE(first.mount(first_id, first_target) == "OK");
    if (mounted_by != "a process that has a lazily unmounted one open") return;
    user = FileDescriptor(::open(first_target.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    REQUIRE(::umount2(first_target.c_str(), UMOUNT_NOFOLLOW | MNT_DETACH) == 0);
  }

  const LoopDisk original{kXfsBytes};
  LoopDisk copy{kXfsBytes};
  Node node;
  Agent agent{node, {&copy}, {.filesystem = "xfs"}};
  const std::string first_target = node.target("first"), target = node.target("target");
  std::string id;
  FileDescriptor user;
};

TEST_CASE("an xfs is mounted beside the one that it is a copy of, whoever mounted that") {
  if (!there_is("mkfs.xfs")) return;
  Copied copied(GENERATE("an agent", "a process that has a lazily unmounted one open"));
  CHECK(copied.agent.mount(copied.id, copied.target) == "OK");
  CHECK_NOTHROW(test::write_file(copied.target + "/file", "content"));
  CHECK_FALSE(std::filesystem::exists(copied.first_target + "/file"));
  CHECK(copied.agent.id_at(copied.target) == copied.id);
  CHECK(copied.agent.unmount(copied.id, copied.target) == "OK");
}

TEST_CASE("an xfs that is not mounted grows while the one is mounted that it is a copy of") {
  if (!there_is("mkfs.xfs")) return;
  Copied copied("an agent");
  copied.copy.grow(2 * kXfsBytes);
  CHECK(copied.agent.resize(copied.id, 0) == "OK");
  const auto stats = copied.agent.service().stats(copied.id);
  REQUIRE(stats);
  CHECK(stats->total > 700 * kMebibyte);
}

TEST_CASE("a copy of a mounted xfs on a read-only disk needs its journal as any other") {
  if (!there_is("mkfs.xfs")) return;
  Copied copied("an agent");
  // The power fails while it is mounted, too.
  REQUIRE(copied.agent.mount(copied.id, copied.target) == "OK");
  test::write_file(copied.target + "/file", "content");
  const FileDescriptor file(::open((copied.target + "/file").c_str(), O_RDONLY | O_CLOEXEC));
  REQUIRE(::fsync(file.get()) == 0);
  const LoopDisk snapshot(kXfsBytes);
  test::clone(copied.copy, snapshot);
  put_table(snapshot, 'c');
  Agent reader(copied.node, {&snapshot},
               {.mount_read_only_disks = true, .skip_journal_replay = true});
  const std::string id = reader.id(snapshot), target = copied.node.target("snapshot");
  const test::WriteProtection protection(snapshot);
  CHECK(reader.mount(id, target) == "OK");
  CHECK(reader.warnings().size() == 1);
}

TEST_CASE("what the kernel does not mount does not grow, nor does its partition") {
  LoopDisk disk(kDiskBytes);
  Node node;
  Agent agent(node, {&disk});
  const std::string id = agent.new_volume(disk);
  REQUIRE(agent.format(id) == "OK");
  run({"/usr/sbin/debugfs", "-w", "-R", "feature FEATURE_I31", disk.node() + "p1"});
  disk.grow(8 * kDiskBytes);
  constexpr size_t kTableBytes = size_t{34} * 512;
  const std::string before = test::read_bytes(disk.node(), 0, kTableBytes);
  CHECK(agent.resize(id, 0) == "FAILED_PRECONDITION");
  CHECK(test::read_bytes(disk.node(), 0, kTableBytes) == before);
}

}  // namespace
}  // namespace longshore::volume
