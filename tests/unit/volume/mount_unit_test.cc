// What systemd has a unit for and takes away again after it was mounted.
#include "volume/linux/mount_unit.h"

#include <filesystem>
#include <thread>

#include "tests/support/eventually.h"
#include "tests/unit/volume/disk_world.h"

namespace longshore::volume {
namespace {

using Catch::Contains;

TEST_CASE("a path's unit is called as systemd calls it") {
  // Of `systemd-escape --path --suffix=mount`.
  const auto [path, name] = GENERATE(table<std::string, std::string>({
      {"/", "-.mount"},
      {"/srv", "srv.mount"},
      {"/var/lib/kubelet/plugins", "var-lib-kubelet-plugins.mount"},
      {"/mnt/pvc-1a~b", "mnt-pvc\\x2d1a\\x7eb.mount"},
      {"/.hidden/.too", "\\x2ehidden-.too.mount"},
      {"/a b/c\\d", "a\\x20b-c\\x5cd.mount"},
      {"/\xc3\xa9@1:_", "\\xc3\\xa9\\x401:_.mount"},
  }));
  CHECK(mount_unit_name(path) == name);
}

TEST_CASE("the first file of a path's unit is found, also a link to nowhere") {
  const test::TemporaryDirectory directory;
  const std::vector<std::string> all = {directory / "none", directory / "first",
                                        directory / "second"};
  std::filesystem::create_directory(all[1]);
  std::filesystem::create_directory(all[2]);
  CHECK(mount_unit_of("/mnt/a", all) == std::nullopt);
  test::write_file(all[2] + "/mnt-a.mount", "");
  CHECK(mount_unit_of("/mnt/a", all) == all[2] + "/mnt-a.mount");
  std::filesystem::create_symlink("/nowhere", all[1] + "/mnt-a.mount");
  CHECK(mount_unit_of("/mnt/a", all) == all[1] + "/mnt-a.mount");
  CHECK(mount_unit_of("/mnt/a/b", all) == std::nullopt);
}

// A target with a unit.
struct World {
  World() {
    id = agent.new_volume(disk);
    REQUIRE(agent.format(id) == "OK");
    std::filesystem::create_directory(units);
    std::filesystem::create_directory_symlink(node.root(), node.root() + "/link");
    test::write_file(unit, "");
  }

  const test::LoopDisk disk{kDiskBytes};
  Node node;
  const std::string target = node.target("target-1");
  const std::string through_link = node.root() + "/link/target-1";
  const std::string units = node.at("units");
  const std::string unit = units + "/" + mount_unit_name(target);
  Agent agent{node, {&disk}, {.unit_directories = {units}}};
  std::string id;
};

TEST_CASE("a mount that is taken away since its path has a unit fails, and the unit is named") {
  World world;
  // systemd, as far as it matters here.
  std::thread manager([&] {
    static_cast<void>(
        test::eventually([&] { return ::umount2(world.target.c_str(), UMOUNT_NOFOLLOW) == 0; }));
  });
  const Result<void> mounted =
      world.agent.service().mount(world.id, world.through_link, {}, "test");
  manager.join();
  REQUIRE_FALSE(mounted);
  CHECK(mounted.error().code() == StatusCode::kFailedPrecondition);
  CHECK_THAT(mounted.error().message(), Contains(world.unit) && Contains("daemon-reload"));
  std::filesystem::remove(world.unit);
  CHECK(world.agent.mount(world.id, world.target) == "OK");
  CHECK(world.agent.id_at(world.target) == world.id);
}

TEST_CASE("a mount that its path's unit leaves alone is success") {
  World world;
  CHECK(world.agent.mount(world.id, world.target) == "OK");
  CHECK(world.agent.id_at(world.target) == world.id);
}

TEST_CASE("who waits for a path's unit waits no longer than his call may take") {
  World world;
  const auto device_of = [](const std::string& path) {
    struct stat status {};
    return ::stat(path.c_str(), &status) == 0 ? status.st_dev : 0;
  };
  Deadline deadline;
  deadline.cancelled = [&] { return device_of(world.target) != device_of(world.node.root()); };
  CHECK(outcome(world.agent.service().mount(world.id, world.target, deadline, "test")) ==
        "CANCELLED");
  // It is mounted, and so is done when it is called again.
  CHECK(world.agent.mount(world.id, world.target) == "OK");
}

}  // namespace
}  // namespace longshore::volume
