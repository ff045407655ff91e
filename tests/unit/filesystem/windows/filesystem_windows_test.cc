// What real directories of Windows show: long and Unicode paths, many callers, lost roots.
#include <windows.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <thread>
#include <vector>

#include "longshore/windows/handle.hpp"
#include "tests/support/outcome.h"
#include "tests/unit/filesystem/worlds.h"

namespace longshore::filesystem {
namespace {

namespace fs = std::filesystem;
using test::outcome;

std::string shown(const Result<bool>& result) {
  return result ? (*result ? "true" : "false") : status_code_name(result.error().code());
}

TEST_CASE("real directories are made, told, emptied and removed") {
  RealWorld world;
  const auto service = world.service();
  REQUIRE(outcome(service.make_directory(world.at("a/b/c"))) == "OK");
  world.put_file(world.at("a/file"));
  CHECK(shown(service.path_exists(world.at("A/B/C"))) == "true");
  CHECK(shown(service.path_exists(world.at("a/file"))) == "true");
  CHECK(shown(service.path_exists(world.at("a/file/deeper"))) == "false");
  CHECK(shown(service.path_exists(world.at("a/none/deeper"))) == "false");
  CHECK(shown(service.is_link_or_mount_point(world.at("a"))) == "false");
  CHECK(shown(service.is_link_or_mount_point(world.at("a/file"))) == "false");
  CHECK(shown(service.is_link_or_mount_point(world.at("none"))) == "NOT_FOUND");
  CHECK(outcome(service.make_directory(world.at("a/file"))) == "ALREADY_EXISTS");
  CHECK(outcome(service.make_directory(world.at("a/file/x"))) == "FAILED_PRECONDITION");
  const Result<void> full = service.remove_directory(world.at("a"), false, {});
  CHECK(outcome(full) == "FAILED_PRECONDITION");
  CHECK_THAT(full.error().message(), Catch::Contains("set force to remove a directory"));
  CHECK(outcome(service.remove_directory(world.at("a/file"), false, {})) == "OK");
  CHECK(outcome(service.remove_directory(world.at("a/b/c"), false, {})) == "OK");
  CHECK(outcome(service.remove_directory(world.at("a/b/c"), false, {})) == "NOT_FOUND");
  CHECK(outcome(service.remove_directory(world.at("a"), true, {})) == "OK");
  CHECK(outcome(service.remove_directory(world.at("a"), true, {})) == "OK");
  CHECK(world.inspect(world.at("a")) == EntryKind::kAbsent);
}

TEST_CASE("IsSymlink alone takes a path without a drive, as csi-proxy looks at every other one") {
  NtfsWorld world;
  const auto service = world.service();
  const std::string mount = world.at("plugins/globalmount");
  world.put_directory(world.at("plugins"));
  world.ntfs().mount(test::NtfsFake::volume_name(1), mount);
  const std::string without_drive = mount.substr(2);
  CHECK(shown(service.is_link_or_mount_point(without_drive)) == "true");
  CHECK(shown(service.is_link_or_mount_point("\\var\\lib\\kubelet\\none")) == "NOT_FOUND");
  CHECK(shown(service.is_link_or_mount_point("\\outside")) == "PERMISSION_DENIED");
  CHECK(shown(service.is_link_or_mount_point("\\\\?\\" + mount)) == "INVALID_ARGUMENT");
  CHECK(shown(service.path_exists(without_drive)) == "INVALID_ARGUMENT");
  CHECK(outcome(service.make_directory(without_drive)) == "INVALID_ARGUMENT");
  CHECK(outcome(service.remove_directory(without_drive, true, {})) == "INVALID_ARGUMENT");
  CHECK(outcome(service.remove_contents(without_drive, {})) == "INVALID_ARGUMENT");
  CHECK(outcome(service.create_link(without_drive, world.at("link"), SameLink::kIsError)) ==
        "INVALID_ARGUMENT");
}

TEST_CASE("names in all scripts are taken as they are") {
  RealWorld world;
  const auto service = world.service();
  const std::string name = GENERATE("\u00e4\u00df\u4e16\u754c", "\U0001f4be", "a b {1}~1", "...a");
  CAPTURE(name);
  REQUIRE(outcome(service.make_directory(world.at(name + "/inner"))) == "OK");
  CHECK(shown(service.path_exists(world.at(name + "/inner"))) == "true");
  CHECK(fs::exists(fs::u8path(world.at(name))));
  CHECK(outcome(service.remove_directory(world.at(name), true, {})) == "OK");
  CHECK(shown(service.path_exists(world.at(name))) == "false");
}

TEST_CASE("a path of more than 260 characters is made, told and removed") {
  RealWorld world;
  const auto service = world.service();
  std::string path = world.root();
  while (path.size() < 1'500) path += "\\" + std::string(200, 'd');
  REQUIRE(outcome(service.make_directory(path)) == "OK");
  CHECK(shown(service.path_exists(path)) == "true");
  CHECK(shown(service.is_link_or_mount_point(path)) == "false");
  CHECK(outcome(service.remove_directory(path, false, {})) == "OK");
  CHECK(outcome(service.remove_contents(world.root(), {})) == "OK");
  CHECK(fs::is_empty(world.root()));
}

TEST_CASE("a read-only file goes with its directory") {
  RealWorld world;
  world.put_directory(world.at("top"));
  world.put_file(world.at("top/file"));
  SetFileAttributesW(fs::path(world.at("top/file")).c_str(), FILE_ATTRIBUTE_READONLY);
  CHECK(outcome(world.service().remove_directory(world.at("top"), true, {})) == "OK");
  CHECK(world.inspect(world.at("top")) == EntryKind::kAbsent);
}

TEST_CASE("a file that a program has open and does not share is named") {
  RealWorld world;
  world.put_directory(world.at("top/a"));
  world.put_file(world.at("top/a/file"));
  {
    const Handle open(CreateFileW(fs::path(world.at("top/a/file")).c_str(), GENERIC_READ,
                                  FILE_SHARE_READ, nullptr, OPEN_EXISTING, 0, nullptr));
    REQUIRE(open);
    const Result<void> removed = world.service().remove_directory(world.at("top"), true, {});
    CHECK(outcome(removed) == "FAILED_PRECONDITION");
    CHECK_THAT(removed.error().message(),
               Catch::StartsWith("cannot remove \"" + world.at("top/a/file") + "\": ") &&
                   Catch::Contains("a program has it open"));
  }
  CHECK(outcome(world.service().remove_directory(world.at("top"), true, {})) == "OK");
}

TEST_CASE("a root on Windows that is gone is absent for questions and named for changes") {
  RealWorld world;
  const auto service = world.service();
  fs::remove_all(world.root());
  CHECK(shown(service.path_exists(world.at("x"))) == "false");
  const Result<void> made = service.make_directory(world.at("x"));
  CHECK(outcome(made) == "NOT_FOUND");
  CHECK_THAT(made.error().message(), Catch::Contains("itself cannot be opened"));
  fs::create_directories(world.root());
  CHECK(outcome(service.make_directory(world.at("x"))) == "OK");
}

TEST_CASE("directories made by many at once on Windows are all there") {
  RealWorld world;
  const auto service = world.service();
  std::atomic<int> made = 0;
  std::vector<std::thread> makers;
  for (int maker = 0; maker < 4; ++maker) {
    makers.emplace_back([&] {
      for (int count = 0; count < 25; ++count) {
        made += service.make_directory(world.at("a/b/" + std::to_string(count) + "/c")).ok();
      }
    });
  }
  for (std::thread& maker : makers) maker.join();
  CHECK(made == 100);
  CHECK(outcome(service.remove_directory(world.at("a"), true, {})) == "OK");
}

TEST_CASE("the system's refusal to make a link is told, and nothing is left of it") {
  RealWorld world;
  const auto service = world.service();
  world.put_directory(world.at("source"));
  // Wine makes none; Windows does.
  const Result<void> made =
      service.create_link(world.at("source"), world.at("link"), SameLink::kIsError);
  const std::string exists = shown(service.path_exists(world.at("link")));
  CHECK(exists == (made ? "true" : "false"));
  if (!made) {
    CHECK_THAT(made.error().message(),
               Catch::StartsWith("cannot make the link \"" + world.at("link") + "\": "));
  }
}

}  // namespace
}  // namespace longshore::filesystem
