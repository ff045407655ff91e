// What is unmounted and alive elsewhere all the same, and who keeps a mount from being unmounted.
#include "volume/linux/mount_users.h"

#include <sys/mman.h>

#include "tests/support/eventually.h"
#include "tests/support/live_process.h"
#include "tests/support/other_namespace.h"
#include "tests/unit/volume/disk_world.h"
#include "tests/unit/volume/run_program.h"

namespace longshore::volume {
namespace {

using Catch::Contains;
using test::LiveProcess;
using test::LoopDisk;
using test::OtherNamespace;

std::string name_of(const LiveProcess& process) {
  return "process " + std::to_string(process.id()) + " (";
}

// A volume that is mounted, on a disk that can be taken offline.
struct Mounted {
  explicit Mounted(const std::string& type = "ext4") : agent(node, {&disk}, {.filesystem = type}) {
    id = agent.new_volume(disk);
    REQUIRE(agent.format(id) == "OK");
    REQUIRE(agent.mount(id, target) == "OK");
  }

  std::string refusal_to_take_offline() {
    const Result<void> refused = agent.try_set_online(disk, false);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code() == StatusCode::kFailedPrecondition);
    CHECK(agent.state(disk).online);
    return refused.error().message();
  }
  std::string refusal_to_unmount() {
    const Result<void> refused = agent.service().unmount(id, target, {}, "test");
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code() == StatusCode::kFailedPrecondition);
    return refused.error().message();
  }
  void put_file() { test::write_file(target + "/file", std::string(4096, 'x')); }

  LoopDisk disk{400 * kMebibyte};
  const test::WritableNode writable{disk.node()};
  Node node;
  Agent agent;
  std::string id;
  const std::string target = node.target("target");
};

TEST_CASE("what another mount namespace keeps is unmounted with a warning, and stays online") {
  const char* type = GENERATE("ext4", "xfs", "btrfs");
  if (!there_is(std::string("mkfs.") + type)) return;
  CAPTURE(type);
  Mounted world(type);
  {
    const OtherNamespace other;
    CHECK(world.agent.unmount(world.id, world.target) == "OK");
    REQUIRE(world.agent.warnings().size() == 1);
    CHECK_THAT(world.agent.warnings().front(),
               Catch::StartsWith(std::string(type) + " of " + world.disk.node() + "p1 is still") &&
                   Contains("the mount \"" + world.target + "\" of " + other.name()) &&
                   Contains("in another mount namespace"));
    CHECK_THAT(world.refusal_to_take_offline(),
               Contains("the mount \"" + world.target + "\" of " + other.name()));
  }
  CHECK(test::eventually([&] { return world.agent.set_online(world.disk, false) == "OK"; }));
}

TEST_CASE("what has files open since a lazy unmount is told by its process") {
  const char* type = GENERATE("ext4", "xfs");
  if (!there_is(std::string("mkfs.") + type)) return;
  CAPTURE(type);
  Mounted world(type);
  world.put_file();
  const test::TemporaryDirectory second;
  REQUIRE(::mount(world.target.c_str(), second.path().c_str(), nullptr, MS_BIND, nullptr) == 0);
  const LiveProcess user([&] {
    if (::open((second / "file").c_str(), O_RDONLY) < 0) ::_exit(1);
  });
  REQUIRE(::umount2(second.path().c_str(), MNT_DETACH) == 0);
  CHECK(world.agent.unmount(world.id, world.target) == "OK");
  REQUIRE(world.agent.warnings().size() == 1);
  const std::string use = name_of(user);
  CHECK_THAT(world.agent.warnings().front(),
             Contains(world.disk.node() + "p1 is still in use: " + use) &&
                 Contains("has files open in it"));
  CHECK_THAT(world.refusal_to_take_offline(),
             Contains(use) && Contains("has files open in it, though it is not mounted any more"));
}

TEST_CASE("nothing is warned of where nobody keeps the volume, or it is mounted here once more") {
  const char* type = GENERATE("ext4", "xfs", "btrfs");
  if (!there_is(std::string("mkfs.") + type)) return;
  CAPTURE(type);
  Mounted world(type);
  const OtherNamespace* other = nullptr;
  std::optional<OtherNamespace> kept;
  const std::string second = world.node.target("second");
  if (GENERATE(false, true)) {
    REQUIRE(world.agent.mount(world.id, second) == "OK");
    other = &kept.emplace();
  }
  CHECK(world.agent.unmount(world.id, world.target) == "OK");
  CHECK(world.agent.warnings().empty());
  if (other == nullptr) return;
  // The last one is.
  CHECK(world.agent.unmount(world.id, second) == "OK");
  REQUIRE(world.agent.warnings().size() == 1);
  CHECK_THAT(world.agent.warnings().front(), Contains(other->name()));
}

TEST_CASE("who keeps a volume from being unmounted is told, and what he does") {
  Mounted world;
  world.put_file();
  const std::string file = world.target + "/file";
  enum class Use { kOpens, kWorks, kMaps };
  const auto [use, text] = GENERATE_COPY(table<Use, std::string>({
      {Use::kOpens, "has files open in it"},
      {Use::kWorks, "works in it"},
      {Use::kMaps, "maps files of it"},
  }));
  {
    const LiveProcess user([&, use = use] {
      const int opened = use == Use::kWorks ? ::chdir(world.target.c_str())
                                            : ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
      if (opened < 0) ::_exit(1);
      if (use != Use::kMaps) return;
      if (::mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE, opened, 0) == MAP_FAILED) ::_exit(1);
      ::close(opened);
    });
    const std::string refusal = world.refusal_to_unmount();
    CHECK_THAT(refusal, Contains(name_of(user)) && Contains(text));
    CHECK(world.agent.id_at(world.target) == world.id);
  }
  CHECK(world.agent.unmount(world.id, world.target) == "OK");
}

TEST_CASE("who uses another mount of the volume does not keep this one busy") {
  Mounted world;
  world.put_file();
  const std::string second = world.node.target("second");
  REQUIRE(world.agent.mount(world.id, second) == "OK");
  const FileDescriptor own(::open((world.target + "/file").c_str(), O_RDONLY | O_CLOEXEC));
  REQUIRE(own);
  const LiveProcess user([&] {
    ::close(own.get());
    if (::open((second + "/file").c_str(), O_RDONLY) < 0) ::_exit(1);
  });
  // The agent itself is not told of.
  CHECK_THAT(world.refusal_to_unmount(),
             Contains("somebody has files open in it") && !Contains(name_of(user)));
}

TEST_CASE("a filesystem of which sysfs tells nothing is alive while its device is held") {
  const LoopDisk disk(kDiskBytes);
  struct stat status {};
  REQUIRE(::stat(disk.node().c_str(), &status) == 0);
  support::Mount mount;
  mount.device = status.st_rdev;
  mount.type = "ntfs3";
  mount.source = disk.node();
  const Place place{.device = status.st_rdev};
  CHECK_FALSE(use_after_unmount(mount, place, "/sys"));
  const FileDescriptor held(::open(disk.node().c_str(), O_RDONLY | O_EXCL | O_CLOEXEC));
  REQUIRE(held);
  const auto use = use_after_unmount(mount, place, "/sys");
  REQUIRE(use);
  CHECK_THAT(*use, Catch::StartsWith("ntfs3 of " + disk.node() + " is still in use: no process"));
}

}  // namespace
}  // namespace longshore::volume
