// The layers on the node that the test runs on: Wine, as far as its answers are true. It changes
// nothing.
#include <algorithm>
#include <catch2/catch.hpp>

#include "disk/windows/disk_backend_windows.h"
#include "longshore/windows/wide_text.hpp"
#include "support/windows/abandonable_wmi.h"
#include "support/windows/device_control.h"
#include "support/windows/guid_text.h"
#include "support/windows/node_volumes.h"
#include "support/windows/volume_functions.h"
#include "tests/support/outcome.h"
#include "tests/support/windows/wine.h"

namespace longshore::disk {
namespace {

using test::outcome;

struct RealNode {
  support::SystemDeviceControl devices;
  support::SystemVolumeFunctions volumes;
  support::AbandonableWmi wmi{support::native_wmi_provider()};
  DiskBackendWindows backend{devices, volumes, wmi, {}};
};

TEST_CASE("the node's first disk has a size, and a number beyond all disks none") {
  RealNode node;
  const auto size = node.backend.size_in_bytes(0);
  INFO((size ? "" : size.error().message()));
  REQUIRE(size);
  CHECK(*size > 0);
  CHECK(*size % 512 == 0);
  CHECK(outcome(node.backend.size_in_bytes(4'000'000'000)) == "NOT_FOUND");
  CHECK(outcome(node.backend.state(4'000'000'000)) == "NOT_FOUND");
}

TEST_CASE("what Wine does not know of a disk is refused, and the question is named") {
  if (!test::is_wine()) return;
  RealNode node;
  const auto state = node.backend.state(0);
  REQUIRE_FALSE(state);
  CHECK(state.error().code() == StatusCode::kUnimplemented);
  CHECK_THAT(state.error().message(),
             Catch::Contains("IOCTL_DISK_GET_DISK_ATTRIBUTES") && Catch::Contains("\"disk 0\""));
}

TEST_CASE("the node's lists of disks are answered") {
  RealNode node;
  CHECK(outcome(node.backend.identities()) == "OK");
  CHECK(outcome(node.backend.locations()) == "OK");
}

TEST_CASE("the volume that Windows lies on is one of the node's volumes") {
  RealNode node;
  const auto volumes = node.volumes.volumes();
  REQUIRE_FALSE(volumes.error);
  for (const std::wstring& name : volumes.names) {
    CAPTURE(narrow(name));
    CHECK(support::guid_of_volume(narrow(name)));
  }
  const auto system = node.volumes.volume_at(L"C:\\");
  REQUIRE_FALSE(system.error);
  CHECK(std::ranges::find(volumes.names, system.name) != volumes.names.end());
  const auto paths = node.volumes.mount_paths(system.name);
  REQUIRE_FALSE(paths.error);
  CHECK(std::ranges::find(paths.names, L"C:\\") != paths.names.end());
  CHECK_FALSE(node.volumes.filesystem(L"C:\\").error);
  const auto space = node.volumes.space(L"C:\\");
  REQUIRE_FALSE(space.error);
  CHECK(space.total > space.free);
}

TEST_CASE("a volume that is not there is an error of every function") {
  RealNode node;
  const std::wstring none = L"\\\\?\\Volume{00000000-0000-0000-0000-00000000ffff}\\";
  CHECK(node.volumes.mount_paths(none).error);
  CHECK(node.volumes.filesystem(none).error);
  CHECK(node.volumes.space(none).error);
  CHECK(node.devices.open(none.substr(0, none.size() - 1), support::DeviceControl::Access::kQuery)
            .error);
}

TEST_CASE("WMI answers what it has, and tells what it has not") {
  RealNode node;
  const auto systems =
      node.wmi.query("ROOT\\CIMV2", "SELECT Caption, ProductType FROM Win32_OperatingSystem", {});
  INFO((systems ? "" : systems.error().message()));
  REQUIRE(systems);
  REQUIRE(systems->size() == 1);
  CHECK_FALSE(support::text_of(systems->front(), "Caption").empty());
  CHECK(support::text_of(systems->front(), "Nothing").empty());
  const auto nowhere = node.wmi.query("ROOT\\No\\Such\\Namespace", "SELECT * FROM Any", {});
  REQUIRE_FALSE(nowhere);
  CHECK(nowhere.error().code() == StatusCode::kUnimplemented);
  CHECK_THAT(nowhere.error().message(), Catch::Contains("0x8004100e"));
}

TEST_CASE("a method that WMI does not have is refused in words") {
  RealNode node;
  const auto called =
      node.wmi.call(support::kStorageNamespace, "MSFT_NoSuchClass", "NoSuchMethod", {}, {});
  REQUIRE_FALSE(called);
  CHECK_THAT(called.error().message(), Catch::Contains("MSFT_NoSuchClass"));
}

}  // namespace
}  // namespace longshore::disk
