#include "support/linux/mount_table.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <optional>

#include "tests/support/bind_mount.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/tmpfs_mount.h"

namespace longshore::support {
namespace {

// What is mounted there last.
std::optional<Mount> mount_on(const std::string& point) {
  const Result<std::vector<Mount>> mounts = read_mounts();
  REQUIRE(mounts);
  std::optional<Mount> found;
  for (const Mount& mount : *mounts) {
    if (mount.point == point) found = mount;
  }
  return found;
}

struct statx facts_of(const std::string& path) {
  struct statx facts {};
  REQUIRE(::statx(AT_FDCWD, path.c_str(), AT_SYMLINK_NOFOLLOW, STATX_TYPE | STATX_MNT_ID, &facts) ==
          0);
  return facts;
}

TEST_CASE("a mount is told with its filesystem, its source and statx's id") {
  const test::TemporaryDirectory directory;
  const std::string point = directory / "point";
  std::filesystem::create_directory(point);
  CHECK_FALSE(mount_on(point));
  {
    const test::TmpfsMount mounted(point, "some-source");
    const auto mount = mount_on(point);
    REQUIRE(mount);
    const auto facts = facts_of(point);
    CHECK(mount->id == facts.stx_mnt_id);
    CHECK(mount->device == makedev(facts.stx_dev_major, facts.stx_dev_minor));
    CHECK(mount->root == "/");
    CHECK(mount->type == "tmpfs");
    CHECK(mount->source == "some-source");
  }
  CHECK_FALSE(mount_on(point));
}

TEST_CASE("names are told as they are, whatever is in them") {
  const std::string name =
      GENERATE(as<std::string>{}, "two words", "tab\there", "line\nbreak", "back\\slash", "\\040",
               "a\\134b", "hash#mark", "trailing ", " - tmpfs x", "caf\xc3\xa9", "not utf8 \xff");
  CAPTURE(name);
  const test::TemporaryDirectory directory;
  const std::string point = directory / name, plain = directory / "plain";
  std::filesystem::create_directory(point);
  std::filesystem::create_directories(plain);
  const test::TmpfsMount mounted(point, name);
  const auto mount = mount_on(point);
  REQUIRE(mount);
  CHECK(mount->id == facts_of(point).stx_mnt_id);
  CHECK(mount->source == name);
  CHECK(mount->type == "tmpfs");

  // And what of a filesystem is mounted.
  std::filesystem::create_directory(point + "/" + name);
  const test::BindMount bound(point + "/" + name, plain);
  const auto part = mount_on(plain);
  REQUIRE(part);
  CHECK(part->root == "/" + name);
  CHECK(part->device == mount->device);
  CHECK(part->id != mount->id);
}

TEST_CASE("a source without a name is empty, and no other field moves") {
  const test::TemporaryDirectory directory;
  const std::string point = directory / "point";
  std::filesystem::create_directory(point);
  const test::TmpfsMount mounted(point, "");
  const auto mount = mount_on(point);
  REQUIRE(mount);
  CHECK(mount->type == "tmpfs");
  CHECK(mount->source.find_first_of(" ,") == std::string::npos);
}

TEST_CASE("what covers another mount comes after it") {
  const test::TemporaryDirectory directory;
  const std::string point = directory / "point";
  std::filesystem::create_directory(point);
  const test::TmpfsMount lower(point, "lower"), upper(point, "upper");
  const Result<std::vector<Mount>> mounts = read_mounts();
  REQUIRE(mounts);
  std::vector<std::string> sources;
  for (const Mount& mount : *mounts) {
    if (mount.point == point) sources.push_back(mount.source);
  }
  CHECK(sources == std::vector<std::string>{"lower", "upper"});
  CHECK(mount_on(point)->id == facts_of(point).stx_mnt_id);
}

TEST_CASE("a mount that is shared with others has fields more and is read all the same") {
  const test::TemporaryDirectory directory;
  const std::string point = directory / "point";
  std::filesystem::create_directory(point);
  const test::TmpfsMount mounted(point, "source");
  REQUIRE(::mount(nullptr, point.c_str(), nullptr, MS_SHARED, nullptr) == 0);
  const auto mount = mount_on(point);
  REQUIRE(mount);
  CHECK(mount->type == "tmpfs");
  CHECK(mount->source == "source");
}

TEST_CASE("the mounts of another process are its own namespace's") {
  const Result<std::vector<Mount>> own = read_mounts();
  const Result<std::vector<Mount>> same = read_mounts(std::to_string(::getpid()));
  REQUIRE(own);
  REQUIRE(same);
  CHECK(own->size() == same->size());
  const Result<std::vector<Mount>> none = read_mounts("4194305");  // beyond the largest number
  REQUIRE_FALSE(none);
  CHECK_THAT(none.error().message(), Catch::Contains("/proc/4194305/mountinfo"));
}

}  // namespace
}  // namespace longshore::support
