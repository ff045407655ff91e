// What is mounted, by others too, and what keeps a volume from being mounted, unmounted or grown.
#include <linux/capability.h>
#include <unistd.h>

#include "tests/support/without_capability.h"
#include "tests/unit/volume/disk_world.h"
#include "tests/unit/volume/run_program.h"
#include "volume/linux/detached_mount.h"

namespace longshore::volume {
namespace {

using test::LoopDisk;
using test::WithoutCapability;

constexpr const char* kNone = "PARTUUID=00000000-0000-0000-0000-000000000000";

// What the service says of an unmount that is refused.
std::string refusal_to_unmount(Agent& agent, const std::string& id, const std::string& target) {
  const Result<void> refused = agent.service().unmount(id, target, {}, "test");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code() == StatusCode::kFailedPrecondition);
  return refused.error().message();
}

// Ids of none, of a copy, of half a volume and of another mount.
void check_others_are_refused(Agent& agent, const std::string& id, const std::string& target) {
  for (const std::string& other :
       {std::string(kNone), std::string("UUID=00000000-0000-0000-0000-000000000000"), id + "@",
        id + "@4294967295", id.substr(0, id.size() - 1), std::string("@"),
        std::string("LOST=0:0")}) {
    CAPTURE(other);
    CHECK_THAT(refusal_to_unmount(agent, other, target),
               Catch::Contains(", and not the volume " + other));
  }
}

// The table, or of an ext3 or ext4 on the whole disk the superblock's signature.
void lose(const LoopDisk& disk, bool is_whole) {
  constexpr uint64_t kMagic = 1024 + 56;
  test::write_bytes(disk.node(), is_whole ? kMagic : 0, std::string(is_whole ? 2 : 512, '\0'));
}

std::string with_number(const std::string& id, const LoopDisk& disk) {
  return id + "@" + std::to_string(disk.number());
}

TEST_CASE("what is mounted by others is not unmounted, whatever it calls its source") {
  const LoopDisk disk(kDiskBytes);
  Node node;
  Agent agent(node, {&disk});
  const std::string id = agent.new_volume(disk);
  const std::string target = node.target("target");
  // As the root filesystem of a node that was started without an initramfs.
  const std::string source = GENERATE("none", "/dev/root", "/dev/missing");
  REQUIRE(::mount(source.c_str(), target.c_str(), "tmpfs", 0, nullptr) == 0);
  CHECK_THAT(
      refusal_to_unmount(agent, kNone, target),
      Catch::Contains("tmpfs (\"" + source + "\") is mounted there, and not the volume " + kNone));
  CHECK_THAT(refusal_to_unmount(agent, id, target), Catch::Contains(", and not the volume " + id));
}

TEST_CASE("a folder of a volume that somebody has bound elsewhere is not unmounted as the volume") {
  const LoopDisk disk(kDiskBytes);
  Node node;
  Agent agent(node, {&disk});
  const std::string id = agent.new_volume(disk);
  REQUIRE(agent.format(id) == "OK");
  const std::string target = node.target("target"), bound = node.target("bound");
  REQUIRE(agent.mount(id, target) == "OK");
  std::filesystem::create_directory(target + "/folder");
  REQUIRE(::mount((target + "/folder").c_str(), bound.c_str(), nullptr, MS_BIND, nullptr) == 0);
  CHECK_THAT(refusal_to_unmount(agent, id, bound),
             Catch::Contains("only a part of a filesystem is mounted there, /folder"));
  REQUIRE(::umount2(bound.c_str(), UMOUNT_NOFOLLOW) == 0);
  CHECK(agent.unmount(id, target) == "OK");
}

TEST_CASE("a served disk whose filesystem has no uuid is not unmounted as a volume") {
  const LoopDisk disk(kDiskBytes);
  run({"/usr/sbin/mkfs.ext4", "-q", "-U", "clear", disk.node()});
  Node node;
  Agent agent(node, {&disk});
  REQUIRE(agent.ids(disk).empty());
  const std::string target = node.target("target");
  REQUIRE(::mount(disk.node().c_str(), target.c_str(), "ext4", 0, nullptr) == 0);
  CHECK_THAT(refusal_to_unmount(agent, kNone, target),
             Catch::Contains("ext4 (\"" + disk.node() + "\") is mounted there"));
}

TEST_CASE("what is mounted is unmounted although the disk has lost its table or its superblock") {
  const LoopDisk disk(kDiskBytes);
  Node node;
  Agent agent(node, {&disk});
  const bool is_whole = GENERATE(false, true);
  if (is_whole) run({"/usr/sbin/mkfs.ext4", "-q", disk.node()});
  const std::string id = is_whole ? agent.id(disk) : agent.new_volume(disk);
  if (!is_whole) REQUIRE(agent.format(id) == "OK");
  const std::string target = node.target("target");
  REQUIRE(agent.mount(id, target) == "OK");
  lose(disk, is_whole);
  REQUIRE(agent.ids(disk).empty());
  const std::string lost = agent.id_at(target);
  CHECK_THAT(lost, Catch::StartsWith("LOST="));
  check_others_are_refused(agent, id, target);
  CHECK(agent.id_at(target) == lost);
  CHECK(agent.flush(id) == "OK");
  const Ids right = {id, with_number(id, disk), lost};
  CHECK(agent.unmount(right[GENERATE(0U, 1U, 2U)], target) == "OK");
  CHECK(agent.warnings().size() == 2);
  CHECK(agent.id_at(target) == "FAILED_PRECONDITION");
  CHECK(agent.flush(id) == "NOT_FOUND");
}

TEST_CASE("two volumes of a disk that has lost its table are told apart") {
  const LoopDisk disk(kDiskBytes);
  test::write_table(disk, "label: gpt\nsize=16MiB\nsize=16MiB\n");
  Node node;
  Agent agent(node, {&disk});
  const Ids ids = agent.ids(disk), targets = {node.target("a"), node.target("b")};
  for (const size_t place : {0U, 1U}) {
    REQUIRE(agent.format(ids.at(place)) == "OK");
    REQUIRE(agent.mount(ids[place], targets[place]) == "OK");
  }
  lose(disk, false);
  REQUIRE(agent.ids(disk).empty());
  for (const size_t place : {0U, 1U}) {
    CHECK_THAT(refusal_to_unmount(agent, ids[1 - place], targets[place]),
               Catch::Contains("which is the volume " + with_number(ids[place], disk)));
    CHECK(agent.unmount(ids[place], targets[place]) == "OK");
  }
}

TEST_CASE("the number of the disk in an id is heeded of a copy that has lost its table") {
  const LoopDisk disk(kDiskBytes), copy(kDiskBytes);
  Node node;
  Agent agent(node, {&disk, &copy});
  const std::string id = agent.new_volume(disk), target = node.target("target");
  REQUIRE(agent.format(id) == "OK");
  test::clone(disk, copy);
  REQUIRE(agent.mount(with_number(id, copy), target) == "OK");
  lose(copy, false);
  REQUIRE(agent.id(disk) == id);
  CHECK_THAT(refusal_to_unmount(agent, with_number(id, disk), target),
             Catch::Contains("which is the volume " + with_number(id, copy)));
  CHECK(agent.unmount(GENERATE(true, false) ? id : with_number(id, copy), target) == "OK");
}

TEST_CASE("an agent that never heard of a volume before it was lost takes no guess for its id") {
  const LoopDisk disk(kDiskBytes);
  const AgentOptions options{.allowed_filesystems = {"ext3", "ext4"}};
  Node node;
  Agent agent(node, {&disk}, options), other(node, {&disk}, options);
  // The kernel does not tell of ext3, as it does not of ntfs and vfat.
  const bool is_whole = GENERATE(false, true);
  const bool has_heard = GENERATE(false, true);
  if (is_whole) run({"/usr/sbin/mkfs.ext3", "-q", disk.node()});
  const std::string id = is_whole ? agent.id(disk) : agent.new_volume(disk);
  if (!is_whole) REQUIRE(agent.format(id) == "OK");
  const std::string target = node.target("target");
  REQUIRE(agent.mount(id, target) == "OK");
  if (has_heard) REQUIRE(other.service().stats(id));
  lose(disk, is_whole);
  REQUIRE(other.ids(disk).empty());
  check_others_are_refused(other, id, target);
  const std::string lost = other.id_at(target);
  if (!has_heard) {
    CHECK_THAT(refusal_to_unmount(other, id, target), Catch::Contains("unmount " + lost));
  }
  CHECK(other.unmount(has_heard ? id : lost, target) == "OK");
  CHECK(other.warnings().size() == 1);
  CHECK(agent.id_at(target) == "FAILED_PRECONDITION");
}

TEST_CASE("a filesystem that was written over the one that is mounted is not what is mounted") {
  if (!there_is("mkfs.xfs")) return;
  const LoopDisk disk(300 * kMebibyte), source(300 * kMebibyte);
  for (const LoopDisk* each : {&disk, &source}) run({"/usr/sbin/mkfs.xfs", "-q", each->node()});
  Node node;
  Agent agent(node, {&disk});
  const std::string id = agent.id(disk), target = node.target("target");
  REQUIRE(agent.mount(id, target) == "OK");
  test::write_bytes(disk.node(), 0, test::read_bytes(source.node(), 0, 512));
  const std::string written = agent.id(disk);
  REQUIRE(written != id);
  CHECK(agent.mount(written, target) == "FAILED_PRECONDITION");
  const std::string lost = agent.id_at(target);
  CHECK_THAT(lost, Catch::StartsWith("LOST="));
  CHECK(*agent.service().disk_number_of(lost) == 0);
  CHECK_THAT(refusal_to_unmount(agent, written, target),
             Catch::Contains("which is the volume " + with_number(id, disk)));
  CHECK(agent.unmount(id, target) == "OK");
}

TEST_CASE(
    "what is mounted from a whole disk is known from the kernel, whatever the disk holds now") {
  struct Filesystem {
    const char* type;
    uint64_t magic;
  };
  const auto filesystem =
      GENERATE(values<Filesystem>({{"ext4", 1024 + 56}, {"xfs", 0}, {"btrfs", (64 << 10) + 64}}));
  const std::string program = "mkfs." + std::string(filesystem.type);
  if (!there_is(program)) return;
  const LoopDisk disk(300 * kMebibyte);
  run({"/usr/sbin/" + program, "-q", disk.node()});
  Node node;
  Agent agent(node, {&disk});
  const std::string id = agent.id(disk), target = node.target("target");
  REQUIRE(agent.mount(id, target) == "OK");
  test::write_bytes(disk.node(), filesystem.magic, std::string(2, '\0'));
  // It remembers nothing.
  Agent restarted(node, {&disk});
  REQUIRE(restarted.ids(disk).empty());
  check_others_are_refused(restarted, id, target);
  CHECK_THAT(refusal_to_unmount(restarted, kNone, target),
             Catch::Contains("which is the volume " + with_number(id, disk)));
  CHECK(restarted.unmount(GENERATE(true, false) ? id : with_number(id, disk), target) == "OK");
  CHECK(agent.id_at(target) == "FAILED_PRECONDITION");
}

TEST_CASE("a disk that cannot be read keeps no volume of another from being mounted") {
  const LoopDisk disk(kDiskBytes), unreadable(kDiskBytes);
  Node node;
  Agent agent(node, {&disk, &unreadable});
  const std::string id = agent.new_volume(disk), target = node.target("target");
  REQUIRE(agent.format(id) == "OK");
  std::filesystem::resize_file(unreadable.file(), 0);
  test::forget_cached(unreadable.node());
  CHECK(agent.mount(id, target) == "OK");
  CHECK(agent.unmount(id, target) == "OK");
}

TEST_CASE("AWS EBS reads no words of ours in the source of a mount") {
  Node node;
  const LoopDisk disk(kDiskBytes);
  Agent agent(node, {&disk});
  const std::string target = node.target("target");
  REQUIRE(::mount("because it does not exist", target.c_str(), "tmpfs", 0, nullptr) == 0);
  const Result<std::string> none = agent.service().id_of_mount_point(target);
  REQUIRE_FALSE(none);
  CHECK_THAT(none.error().message(), Catch::Contains("because\\040it\\040does") &&
                                         !Catch::Contains("because it does not exist"));
}

TEST_CASE("AWS EBS is not told that nothing is mounted where the allowed root is missing") {
  Node node;
  const LoopDisk disk(kDiskBytes);
  Agent agent(node, {&disk});
  std::filesystem::remove(node.root());
  const Result<std::string> none = agent.service().id_of_mount_point(node.root() + "/target");
  REQUIRE_FALSE(none);
  CHECK(none.error().code() == StatusCode::kNotFound);
  CHECK_THAT(none.error().message(), !Catch::Contains("because it does not exist"));
  std::filesystem::create_directory(node.root());
}

TEST_CASE("AWS EBS is not told that nothing is mounted where another mount hides it") {
  Node node;
  const LoopDisk disk(kDiskBytes);
  Agent agent(node, {&disk});
  const std::string parent = node.target("parent"), target = node.target("parent/target");
  const std::string link = node.root() + "/link";
  std::filesystem::create_symlink(parent, link);
  REQUIRE(::mount("none", target.c_str(), "tmpfs", 0, nullptr) == 0);
  REQUIRE(::mount("none", parent.c_str(), "tmpfs", 0, nullptr) == 0);
  if (GENERATE(false, true)) std::filesystem::create_directory(target);
  const std::string path = (GENERATE(false, true) ? link : parent) + "/target";
  CAPTURE(path);
  const Result<std::string> hidden = agent.service().id_of_mount_point(path);
  REQUIRE_FALSE(hidden);
  CHECK(hidden.error().code() == StatusCode::kFailedPrecondition);
  CHECK_THAT(hidden.error().message(), Catch::Contains("is hidden by another mount") &&
                                           !Catch::Contains("because it does not exist"));
  // Beside it nothing is.
  CHECK_THAT(agent.service().id_of_mount_point(path + "s").error().message(),
             Catch::Contains("because it does not exist"));
  REQUIRE(::umount(parent.c_str()) == 0);
  REQUIRE(::umount(target.c_str()) == 0);
  CHECK_THAT(agent.service().id_of_mount_point(path).error().message(),
             Catch::Contains("because it does not exist"));
}

TEST_CASE("a partition that is no volume is not unmounted as one") {
  const LoopDisk disk(kDiskBytes);
  test::write_table(disk, "label: gpt\nsize=16MiB\n");
  Node node;
  Agent agent(node, {&disk});
  const std::string id = agent.id(disk), target = node.target("target");
  REQUIRE(agent.format(id) == "OK");
  REQUIRE(agent.mount(id, target) == "OK");
  // A boot loader's from now on.
  test::write_table(disk, "label: gpt\nsize=16MiB, type=21686148-6449-6E6F-744E-656564454649\n");
  REQUIRE(agent.partition(disk) == "OK");
  REQUIRE(outcome(agent.service().list(disk.number(), 0)) == "FAILED_PRECONDITION");
  CHECK_THAT(refusal_to_unmount(agent, id, target), Catch::Contains("ext4 (\""));
}

TEST_CASE("a volume is mounted on an allowed root itself") {
  const LoopDisk disk(kDiskBytes);
  Node node;
  Agent agent(node, {&disk});
  const std::string id = agent.new_volume(disk);
  REQUIRE(agent.format(id) == "OK");
  CHECK(agent.mount(id, node.root()) == "OK");
  CHECK(agent.mount(id, node.root()) == "OK");
  CHECK(agent.id_at(node.root()) == id);
  CHECK(agent.unmount(id, node.root()) == "OK");
  CHECK(agent.id_at(node.root()) == "FAILED_PRECONDITION");
}

TEST_CASE("a disk that an allowed root lies on is not changed") {
  const LoopDisk disk(kDiskBytes);
  test::write_table(disk, "label: gpt\nsize=16MiB\nsize=16MiB\n");
  Node node;
  Agent agent(node, {&disk});
  const Ids ids = agent.ids(disk);
  REQUIRE(agent.format(ids[0]) == "OK");
  REQUIRE(agent.mount(ids[0], node.root()) == "OK");
  const Result<void> refused = agent.try_format(ids[1]);
  CHECK(agent.resize(ids[0], 0) == "FAILED_PRECONDITION");
  CHECK(agent.unmount(ids[0], node.root()) == "OK");
  REQUIRE_FALSE(refused);
  CHECK_THAT(refused.error().message(),
             Catch::Contains("the mount " + node.root()) && Catch::Contains("never changed"));
  CHECK(agent.format(ids[1]) == "OK");
}

TEST_CASE("a record of formatting ends with a mount, also while there is a copy") {
  const LoopDisk disk(kDiskBytes), copy(kDiskBytes);
  Node node;
  Agent agent(node, {&disk}), both(node, {&disk, &copy});
  const std::string id = agent.new_volume(disk);
  REQUIRE(agent.format(id) == "OK");
  test::clone(disk, copy);
  const std::string qualified = both.id(disk), target = node.target("target");
  REQUIRE(qualified != id);
  CHECK(both.format(qualified) == "OK");
  REQUIRE(both.mount(qualified, target) == "OK");
  REQUIRE(both.unmount(qualified, target) == "OK");
  CHECK(agent.format(id) == "FAILED_PRECONDITION");
  CHECK(std::filesystem::is_empty(node.state()));
}

TEST_CASE("errors of mounting name the volume where it is the volume that is amiss") {
  const LoopDisk disk(kDiskBytes);
  Node node;
  Agent agent(node, {&disk});
  const Result<void> refused = agent.service().mount(kNone, node.target("target"), {}, "test");
  REQUIRE_FALSE(refused);
  CHECK_THAT(refused.error().message(),
             Catch::StartsWith(std::string("cannot mount \"") + kNone + "\": there is no volume"));
}

TEST_CASE("a mount below the target is told when it cannot be unmounted") {
  const LoopDisk disk(kDiskBytes);
  Node node;
  Agent agent(node, {&disk});
  const std::string id = agent.new_volume(disk), target = node.target("target");
  REQUIRE(agent.format(id) == "OK");
  REQUIRE(agent.mount(id, target) == "OK");
  const std::string below = node.target("target/below");
  REQUIRE(::mount("none", below.c_str(), "tmpfs", 0, nullptr) == 0);
  CHECK_THAT(refusal_to_unmount(agent, id, target), Catch::Contains("unmount " + below + " first"));
  REQUIRE(::umount(below.c_str()) == 0);
  CHECK(agent.unmount(id, target) == "OK");
}

TEST_CASE("what fails on a dangling link says so, and not that nothing is there") {
  const LoopDisk disk(kDiskBytes);
  Node node;
  Agent agent(node, {&disk});
  const std::string id = agent.new_volume(disk), link = node.root() + "/link";
  REQUIRE(agent.format(id) == "OK");
  std::filesystem::create_symlink("nowhere", link);
  VolumeService& volumes = agent.service();
  std::vector<std::string> texts;
  const auto keep = [&](const auto& result, StatusCode code) {
    REQUIRE_FALSE(result);
    CHECK(result.error().code() == code);
    texts.push_back(result.error().message());
  };
  keep(volumes.mount(id, link, {}, "test"), StatusCode::kFailedPrecondition);
  keep(volumes.mount(id, link + "/below", {}, "test"), StatusCode::kNotFound);
  keep(volumes.unmount(id, link, {}, "test"), StatusCode::kFailedPrecondition);
  for (const std::string& path : {link, link + "/below"}) {
    keep(volumes.id_of_mount_point(path), StatusCode::kNotFound);
    keep(volumes.closest_id(path), StatusCode::kNotFound);
  }
  for (const std::string& text : texts) {
    CHECK_THAT(text,
               Catch::Contains("the link \"" + link + "\" leads to \"nowhere\", where nothing is"));
    // By this a driver knows that it has nothing to unmount.
    CHECK_THAT(text, !Catch::Contains("because it does not exist"));
  }
  // No link is told of where there is none, or where it leads somewhere.
  std::filesystem::create_directory(node.root() + "/nowhere");
  CHECK_THAT(volumes.id_of_mount_point(link + "/below").error().message(),
             !Catch::Contains("leads to"));
  CHECK_THAT(volumes.mount(id, link, {}, "test").error().message(), !Catch::Contains("leads to"));
  CHECK_THAT(volumes.id_of_mount_point(node.root() + "/none").error().message(),
             !Catch::Contains("leads to"));
}

TEST_CASE("the kernel's answer tells a filesystem that it lacks from what it forbids") {
  const auto lacking = mount_detached({.type = "nofilesystem", .node = "/dev/null"});
  REQUIRE_FALSE(lacking);
  CHECK_THAT(lacking.error().message(), Catch::Contains("has no filesystem \"nofilesystem\""));

  const WithoutCapability capability(CAP_SYS_ADMIN);
  const auto forbidden = mount_detached({.type = "ext4", .node = "/dev/null"});
  REQUIRE_FALSE(forbidden);
  CHECK_THAT(forbidden.error().message(),
             Catch::Contains("CAP_SYS_ADMIN") && !Catch::Contains("has no filesystem"));
}

TEST_CASE("an ext4 with errors is not grown or not mounted, and e2fsck is named") {
  LoopDisk disk(kDiskBytes);
  run({"/usr/sbin/mkfs.ext4", "-q", disk.node()});
  // 2 is "errors were found". Where CAP_SYS_RESOURCE is missing that is the reason, with the same
  // answer.
  run({"/usr/sbin/debugfs", "-w", "-R", "set_super_value state 3", disk.node()});
  Node node;
  Agent agent(node, {&disk});
  const std::string id = agent.id(disk), target = node.target("target");
  REQUIRE(agent.mount(id, target) == "OK");
  disk.grow(2 * kDiskBytes);
  const Result<void> refused = agent.service().resize(id, 0, {}, "test");
  REQUIRE_FALSE(refused);
  CHECK_THAT(refused.error().message(), Catch::Contains("run e2fsck"));
  CHECK(agent.unmount(id, target) == "OK");

  constexpr uint64_t kDescriptors = 2048;  // of the groups, with blocks of 1 KiB
  test::write_bytes(disk.node(), kDescriptors, std::string(1024, '\xff'));
  const Result<void> damaged = agent.service().mount(id, target, {}, "test");
  REQUIRE_FALSE(damaged);
  CHECK_THAT(damaged.error().message(),
             Catch::Contains("the kernel's log says more, and \"e2fsck -f " + disk.node()));
}

}  // namespace
}  // namespace longshore::volume
