// What is mounted, by others too, and what keeps a volume from being mounted, unmounted or grown.
#include <linux/capability.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/unit/volume/disk_world.h"
#include "tests/unit/volume/run_program.h"
#include "volume/linux/detached_mount.h"

namespace longshore::volume {
namespace {

using test::LoopDisk;

constexpr const char* kNone = "PARTUUID=00000000-0000-0000-0000-000000000000";

// This thread without a capability.
class Without {
 public:
  explicit Without(unsigned capability) {
    REQUIRE(::syscall(SYS_capget, &header_, before_) == 0);
    __user_cap_data_struct less[2] = {before_[0], before_[1]};
    less[capability / 32].effective &= ~(1U << capability % 32);
    REQUIRE(::syscall(SYS_capset, &header_, less) == 0);
  }
  Without(const Without&) = delete;
  Without& operator=(const Without&) = delete;
  ~Without() { ::syscall(SYS_capset, &header_, before_); }

 private:
  __user_cap_header_struct header_{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct before_[2]{};
};

// What the service says of an unmount that is refused.
std::string refusal_to_unmount(Agent& agent, const std::string& id, const std::string& target) {
  const Result<void> refused = agent.service().unmount(id, target, {}, "test");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code() == StatusCode::kFailedPrecondition);
  return refused.error().message();
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
  constexpr uint64_t kMagic = 1024 + 56;  // of the superblock
  test::write_bytes(disk.node(), is_whole ? kMagic : 0, std::string(is_whole ? 2 : 512, '\0'));
  REQUIRE(agent.ids(disk).empty());
  CHECK(agent.unmount(id, target) == "OK");
  CHECK(agent.id_at(target) == "FAILED_PRECONDITION");
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
  REQUIRE(agent.ids(disk).empty());
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

TEST_CASE("the kernel's answer tells a filesystem that it lacks from what it forbids") {
  const auto lacking = mount_detached({.type = "nofilesystem", .node = "/dev/null"});
  REQUIRE_FALSE(lacking);
  CHECK_THAT(lacking.error().message(), Catch::Contains("has no filesystem \"nofilesystem\""));

  const Without capability(CAP_SYS_ADMIN);
  const auto forbidden = mount_detached({.type = "ext4", .node = "/dev/null"});
  REQUIRE_FALSE(forbidden);
  CHECK_THAT(forbidden.error().message(),
             Catch::Contains("CAP_SYS_ADMIN") && !Catch::Contains("has no filesystem"));
}

TEST_CASE("an ext4 with recorded errors is not grown, and e2fsck is named") {
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
}

}  // namespace
}  // namespace longshore::volume
