#include "support/linux/mounts_below.h"

#include <fcntl.h>

#include <catch2/catch.hpp>
#include <filesystem>

#include "tests/support/bind_mount.h"
#include "tests/support/temporary_directory.h"

namespace longshore::support {
namespace {

std::optional<std::string> mount_below(const std::string& path) {
  const auto found =
      find_mount_below(FileDescriptor(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)));
  REQUIRE(found);
  return *found;
}

TEST_CASE("the tree's root has mounts below it and a plain directory has none") {
  const test::TemporaryDirectory directory;
  CHECK(mount_below("/").has_value());
  CHECK(mount_below(directory.path()) == std::nullopt);
}

TEST_CASE("a mount below is found, whatever its name and depth, and one beside is not") {
  const test::TemporaryDirectory directory;
  const std::string name = GENERATE("plain", "with blank", "tab\tand\nnewline", "back\\slash");
  std::filesystem::create_directories(directory / ("top/a/" + name));
  std::filesystem::create_directories(directory / "topX");
  std::filesystem::create_directories(directory / "source");
  const test::BindMount beside(directory / "source", directory / "topX");
  CHECK(mount_below(directory / "top") == std::nullopt);
  CHECK(mount_below(directory / "topX") == std::nullopt);
  const test::BindMount inside(directory / "source", directory / ("top/a/" + name));
  CHECK(mount_below(directory / "top") == directory / ("top/a/" + name));
}

TEST_CASE("a closed descriptor is an error") { CHECK_FALSE(find_mount_below(FileDescriptor())); }

}  // namespace
}  // namespace longshore::support
