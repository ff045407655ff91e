// The volume group on the node that the test runs on: Wine, as far as its answers are true, and
// clear errors elsewhere. It changes nothing but a directory of its own.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>

#include "longshore/windows/wide_text.hpp"
#include "support/windows/abandonable_wmi.h"
#include "support/windows/device_control.h"
#include "support/windows/volume_functions.h"
#include "support/windows/windows_file_system.h"
#include "tests/support/outcome.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/windows/wine.h"
#include "volume/volume_service.h"
#include "volume/windows/volume_backend_windows.h"

namespace longshore::volume {
namespace {

using test::outcome;

struct RealNode {
  const test::TemporaryDirectory directory;
  const support::AllowedRoots roots = *support::AllowedRoots::from({directory.path().string()});
  support::SystemDeviceControl devices;
  support::SystemVolumeFunctions volumes;
  support::WindowsFileSystem files;
  support::AbandonableWmi wmi{support::native_wmi_provider()};
  VolumeBackendWindows backend{{devices, volumes, files, wmi}, {.roots = roots}};
  VolumeService service{roots, backend};
};

// The id of the drive that the directory is on.
std::string drive_id(RealNode& node) {
  const std::string drive = node.directory.path().string().substr(0, 3);
  return narrow(node.volumes.volume_at(wide(drive)).name);
}

TEST_CASE("a volume of which Wine does not say on what disk it lies is none, and told so") {
  if (!test::is_wine()) return;
  RealNode node;
  const auto told = node.service.closest_id(node.directory.path().string());
  REQUIRE_FALSE(told);
  CHECK(told.error().code() == StatusCode::kFailedPrecondition);
  CHECK_THAT(told.error().message(),
             Catch::Contains(drive_id(node)) && Catch::Contains("no volume of a disk"));
  const std::string target = (node.directory.path() / "target").string();
  std::filesystem::create_directory(target);
  const std::string id = drive_id(node);
  CHECK(outcome(node.service.stats(id)) == "NOT_FOUND");
  CHECK(outcome(node.service.is_formatted(id)) == "NOT_FOUND");
  CHECK(outcome(node.service.format(id, {}, "test")) == "NOT_FOUND");
  CHECK(outcome(node.service.disk_number_of(id)) == "NOT_FOUND");
  CHECK(outcome(node.service.mount(id, target, {}, "test")) == "NOT_FOUND");
  CHECK(outcome(node.service.unmount(id, target, {}, "test")) == "OK");
  CHECK(outcome(node.service.unmount(id, target + "\\missing", {}, "test")) == "OK");
  CHECK(std::filesystem::is_empty(target));
}

TEST_CASE("what Wine does not do with a directory is refused, and nothing is left of it") {
  if (!test::is_wine()) return;
  RealNode node;
  const std::filesystem::path target = node.directory.path() / "target";
  std::filesystem::create_directory(target);
  std::error_code error;
  auto opened = node.files.open_path(L"\\\\?\\" + target.wstring(),
                                     support::FileSystemCalls::LastName::kUnfollowed,
                                     support::FileAccess::kRemove, error);
  REQUIRE(opened);
  CHECK(opened->attach_volume(wide(drive_id(node))));
  CHECK_FALSE(opened->facts(error).is_reparse_point);
}

TEST_CASE("a plain directory is no mounted folder") {
  RealNode node;
  const auto told = node.service.id_of_mount_point(node.directory.path().string());
  REQUIRE_FALSE(told);
  CHECK_THAT(told.error().message(), Catch::Contains("not a mounted folder"));
  const auto absent = node.service.id_of_mount_point((node.directory.path() / "missing").string());
  REQUIRE_FALSE(absent);
  CHECK(absent.error().code() == StatusCode::kNotFound);
}

}  // namespace
}  // namespace longshore::volume
