// What the methods that name a path say that they would hang on, where that is no disk: of those
// see disk_bulkheads_test.cc. Where no disk is known an id says nothing.
#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "longshore/testing/fake_host.hpp"
#include "longshore/testing/module_file.hpp"
#include "tests/support/build_tree.h"
#include "tests/support/outcome.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/tmpfs_mount.h"
#include "tests/support/wire_writer.h"

namespace longshore::volume {
namespace {

using test::outcome;
using test::WireWriter;

const std::vector<std::string> kByPath = {"v1beta1.Volume/GetVolumeIDFromMount",
                                          "v1beta2.Volume/GetVolumeIDFromMount",
                                          "v1beta3.Volume/GetVolumeIDFromTargetPath",
                                          "v1.Volume/GetVolumeIDFromTargetPath",
                                          "v2alpha1.Volume/GetVolumeIDFromTargetPath",
                                          "v2alpha1.Volume/GetClosestVolumeIDFromTargetPath"};

struct Hosted {
  Hosted() {
    std::filesystem::create_directory(directory / "volume");
    REQUIRE(
        host.start({.settings = {{"disk_names", std::vector<std::string>{"no-such-disk"}},
                                 {"allowed_roots", std::vector<std::string>{directory.path()}}}}));
  }

  std::string call(const std::string& method, const std::string& request,
                   const testing::CallOptions& options = {}) {
    return outcome(host.begin_bytes(method, request, options).wait_for_all_bytes());
  }

  const test::TemporaryDirectory directory;
  const testing::ModuleFile file{test::built_module("volume")};
  testing::FakeHost host{file.entry()};
};

TEST_CASE("a path hangs on the filesystem that is mounted above it") {
  Hosted hosted;
  const test::TmpfsMount volume(hosted.directory / "volume");
  const std::string request = WireWriter().text(1, hosted.directory / "volume");
  for (const std::string& method : kByPath) {
    CAPTURE(method);
    CHECK(hosted.call(method, request) == "FAILED_PRECONDITION");  // it is no volume
  }
  CHECK(hosted.host.bulkheads() == std::vector<std::string>(kByPath.size(), volume.bulkhead()));
  hosted.host.fill_bulkhead(volume.bulkhead());
  for (const std::string& method : kByPath) {
    CAPTURE(method);
    CHECK(hosted.call(method, request) == "UNAVAILABLE");
  }
}

TEST_CASE("no path is gone along through links when the time is over") {
  Hosted hosted;
  std::filesystem::create_directory_symlink(hosted.directory / "volume", hosted.directory / "link");
  const std::string request = WireWriter().text(1, hosted.directory / "link/none");
  for (const std::string& method : kByPath) {
    CAPTURE(method);
    CHECK(hosted.call(method, request) == "NOT_FOUND");
    CHECK(hosted.call(method, request, {.timeout = std::chrono::nanoseconds(0)}) ==
          "DEADLINE_EXCEEDED");
  }
}

TEST_CASE("where no more is known than the path or the id nothing is said") {
  Hosted hosted;
  const std::string path = WireWriter().text(1, hosted.directory / "volume");
  for (const std::string& method : kByPath) hosted.call(method, path);
  const std::string id = WireWriter().text(1, "UUID=1").text(2, hosted.directory / "volume");
  for (const std::string method : {"MountVolume", "UnmountVolume", "GetVolumeStats"}) {
    CHECK(hosted.call("v1.Volume/" + method, id) != "UNIMPLEMENTED");
  }
  CHECK(hosted.host.bulkheads().empty());
}

}  // namespace
}  // namespace longshore::volume
