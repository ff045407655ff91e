// Volumes whose disk is gone, on a Windows that is made up: what drivers do when they unstage.
#include <catch2/catch.hpp>

#include "longshore/windows/wide_text.hpp"
#include "tests/support/windows/fake_node.h"
#include "tests/unit/volume/suite_calls.h"

namespace longshore::volume {
namespace {

struct Lost {
  Lost() { world.unplug(); }

  WindowsWorld world;
  Calls<WindowsWorld> calls{world};
  std::string target = world.at("target");
  std::string id = calls.mounted(target);
  std::vector<std::string> warnings;
  support::WarningLog log{[this](std::string_view text) { warnings.emplace_back(text); }};
};

// AWS EBS, GCP PD and vSphere ask for the id before they unmount, and fail for ever where they get
// none; azuredisk writes the cache out first.
TEST_CASE("a volume whose disk is gone is written out and let go, with a warning") {
  Lost lost;
  VolumeService& service = lost.calls.service;
  CHECK(outcome(service.disk_number_of(lost.id)) == "NOT_FOUND");
  CHECK(outcome(service.flush(lost.id, lost.log)) == "NOT_FOUND");
  CHECK(answer(service.id_of_mount_point(lost.target)) == lost.id);
  // From now on it was told. The number is no disk's: 0 may be Windows' own.
  CHECK(*service.disk_number_of(lost.id) == VolumeBackendWindows::kNoDisk);
  CHECK(outcome(lost.world.set_online(false, VolumeBackendWindows::kNoDisk - 1)) == "NOT_FOUND");
  CHECK(outcome(service.flush(lost.id, lost.log)) == "OK");
  CHECK(outcome(service.stats(lost.id)) == "NOT_FOUND");
  CHECK(outcome(service.unmount(lost.id, lost.target, {}, "test", lost.log)) == "OK");
  REQUIRE(lost.warnings.size() == 2);
  for (const std::string& warning : lost.warnings) {
    CHECK_THAT(warning, Catch::Contains("not written") && Catch::Contains("is lost"));
  }
  CHECK(outcome(service.unmount(lost.id, lost.target, {}, "test", lost.log)) == "OK");
  CHECK(outcome(service.flush(lost.id, lost.log)) == "NOT_FOUND");
  CHECK(outcome(service.disk_number_of(lost.id)) == "NOT_FOUND");
  CHECK(lost.warnings.size() == 2);
}

TEST_CASE("any id lets go what is mounted from a disk that is gone") {
  Lost lost;
  CHECK(outcome(lost.calls.service.unmount("PARTUUID=1", lost.target, {}, "test", lost.log)) ==
        "OK");
  CHECK(lost.warnings.size() == 1);
  CHECK_FALSE(lost.world.files().inspect(lost.target)->point);
}

TEST_CASE("where volumes cannot be listed nobody takes one for lost") {
  Lost lost;
  lost.world.node().volumes_instead =
      support::VolumeFunctions::Names{test::windows_code(ERROR_ACCESS_DENIED), {}};
  CHECK(lost.calls.unmount(lost.id, lost.target) == "PERMISSION_DENIED");
  CHECK(outcome(lost.calls.service.id_of_mount_point(lost.target)) != "OK");
}

TEST_CASE("a volume of a disk that is offline is known by the disk's table, and not lost") {
  WindowsWorld world;
  Calls<WindowsWorld> calls{world};
  const std::string id = calls.mounted(world.at("target"));
  world.node().disk(world.number()).offline = true;  // somebody else's doing
  world.files().lose_volume(id);
  CHECK(answer(calls.service.id_of_mount_point(world.at("target"))) == id);
  CHECK(outcome(calls.service.stats(id)) == "FAILED_PRECONDITION");
  CHECK(*calls.service.disk_number_of(id) == world.number());
  CHECK(outcome(calls.service.flush(id)) == "OK");
  CHECK(calls.unmount("PARTUUID=1", world.at("target")) == "FAILED_PRECONDITION");
  CHECK(calls.unmount(id, world.at("target")) == "OK");
}

TEST_CASE("while the table of an offline disk cannot be read, what is not found is UNAVAILABLE") {
  WindowsWorld world(Setup{.disks = 2});
  Calls<WindowsWorld> calls{world};
  const std::string id = calls.formatted();
  REQUIRE(outcome(world.set_online(false)) == "OK");
  world.node().answer_instead = [](const std::wstring& path,
                                   uint32_t code) -> std::optional<test::FakeNode::Answer> {
    if (code != IOCTL_DISK_GET_DRIVE_LAYOUT_EX || !path.ends_with(L"1")) return std::nullopt;
    return {{test::windows_code(ERROR_CRC), {}}};
  };
  CHECK(outcome(calls.service.stats(id)) == "UNAVAILABLE");
  CHECK(calls.unmount(id, world.at("nothing")) == "OK");
}

}  // namespace
}  // namespace longshore::volume
