// Volumes whose filesystem has shut down, as xfs does by itself when it cannot write to its disk:
// with it not even statx of the mount point works, and drivers have to unstage all the same.
#include <sys/ioctl.h>

#include "filesystem/filesystem_service.h"
#include "filesystem/linux/filesystem_backend_linux.h"
#include "tests/unit/volume/disk_world.h"
#include "tests/unit/volume/run_program.h"
#include "tests/unit/volume/seen_disk.h"

namespace longshore::volume {
namespace {

using test::LoopDisk;

// The same number for ext4 and xfs (EXT4_IOC_SHUTDOWN, XFS_IOC_GOINGDOWN); 2: without the log.
constexpr unsigned long kShutDown = _IOR('X', 125, uint32_t);
constexpr uint32_t kWithoutLog = 2;

// What Rmdir asks the module volume for.
class AskedVolumes final : public filesystem::VolumeGroup {
 public:
  explicit AskedVolumes(Agent& agent) : agent_(agent) {}

  Result<std::string> id_of_mount_point(const support::Path& path) override {
    return agent_.service().id_of_mount_point(path.text());
  }
  Result<void> unmount(const std::string& id, const support::Path& path) override {
    return agent_.service().unmount(id, path.text(), {}, "test");
  }

 private:
  Agent& agent_;
};

// A mounted volume that has shut down.
struct ShutDown {
  explicit ShutDown(const std::string& type) : agent(node, {&disk}, {.filesystem = type}) {
    id = agent.new_volume(disk);
    REQUIRE(agent.format(id) == "OK");
    REQUIRE(agent.mount(id, target) == "OK");
    const FileDescriptor mounted(::open(target.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    REQUIRE(::ioctl(mounted.get(), kShutDown, &kWithoutLog) == 0);
  }

  filesystem::FilesystemService filesystems() {
    return {*support::AllowedRoots::from({node.root()}), paths};
  }
  Result<void> remove(const std::string& path) {
    AskedVolumes volumes(agent);
    return filesystems().remove_directory(path, /*force=*/true, {}, {}, &volumes);
  }

  LoopDisk disk{400 * kMebibyte};
  Node node;
  Agent agent;
  std::string id;
  const std::string target = node.target("folder/target");
  filesystem::FilesystemBackendLinux paths{*support::AllowedRoots::from({node.root()})};
};

TEST_CASE("a volume whose filesystem has shut down is told and unmounted") {
  const char* type = GENERATE("xfs", "ext4");
  if (!there_is(std::string("mkfs.") + type)) return;
  CAPTURE(type);
  ShutDown world(type);
  Agent& agent = world.agent;
  CHECK(agent.id_at(world.target) == world.id);
  CHECK(*agent.service().closest_id(world.target) == world.id);
  CHECK(*world.filesystems().path_exists(world.target));
  CHECK(*world.filesystems().is_link_or_mount_point(world.target));
  // It must not be told that all is written.
  CHECK(agent.flush(world.id) == "INTERNAL");
  CHECK(agent.unmount("PARTUUID=00000000-0000-0000-0000-000000000000", world.target) ==
        "FAILED_PRECONDITION");
  CHECK(agent.warnings().empty());
  CHECK(agent.unmount(world.id, world.target) == "OK");
  REQUIRE(agent.warnings().size() == 1);
  CHECK_THAT(agent.warnings().front(), Catch::Contains("is lost"));
  CHECK(agent.id_at(world.target) == "FAILED_PRECONDITION");
  CHECK(agent.unmount(world.id, world.target) == "OK");
  // The disk serves again.
  CHECK(agent.mount(world.id, world.target) == "OK");
  CHECK(agent.flush(world.id) == "OK");
}

TEST_CASE("xfs that has shut down is refused with the reason until it is unmounted") {
  if (!there_is("mkfs.xfs")) return;
  ShutDown world("xfs");
  const Result<void> flushed = world.agent.service().flush(world.id, {});
  REQUIRE_FALSE(flushed);
  CHECK_THAT(flushed.error().message(), Catch::Contains("its filesystem has shut down") &&
                                            !Catch::Contains("something else covers it"));
  CHECK(outcome(world.agent.service().stats(world.id)) == "INTERNAL");
  const Result<void> again = world.agent.service().mount(world.id, world.target, {}, "test");
  REQUIRE_FALSE(again);
  CHECK(again.error().code() == StatusCode::kFailedPrecondition);
  CHECK_THAT(again.error().message(), Catch::Contains("has shut down"));
}

TEST_CASE("xfs that has shut down since its disk is gone is unmounted, with a warning") {
  if (!there_is("mkfs.xfs")) return;
  ShutDown world("xfs");
  const Seen seen(world.node, world.disk);
  Agent seeing(world.node, {&world.disk}, {.sysfs_root = seen.root()});
  seen.remove();
  const std::string lost = seeing.id_at(world.target);
  CHECK_THAT(lost, Catch::StartsWith("LOST="));
  CHECK(seeing.flush(world.id) == "OK");
  CHECK(seeing.unmount(lost, world.target) == "OK");
  CHECK(seeing.warnings().size() == 2);
  CHECK(seeing.id_at(world.target) == "FAILED_PRECONDITION");
}

TEST_CASE("Rmdir of the mount point of xfs that has shut down unmounts it") {
  if (!there_is("mkfs.xfs")) return;
  ShutDown world("xfs");
  const std::string above = world.node.root() + "/folder";
  const Result<void> refused = world.remove(above);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code() == StatusCode::kFailedPrecondition);
  CHECK(outcome(world.remove(world.target)) == "OK");
  CHECK_FALSE(std::filesystem::exists(world.target));
  CHECK(outcome(world.remove(world.target)) == "OK");
  CHECK(outcome(world.remove(above)) == "OK");
}

}  // namespace
}  // namespace longshore::volume
