#include "support/linux/mount_root.h"

#include <fcntl.h>

#include <catch2/catch.hpp>
#include <filesystem>

#include "longshore/linux/file_descriptor.hpp"
#include "tests/support/bind_mount.h"
#include "tests/support/temporary_directory.h"

namespace longshore::support {
namespace {

TEST_CASE("a mount's root is told by its name and by its descriptor, and nothing else is") {
  const test::TemporaryDirectory directory;
  const std::string point = directory / "a point";
  std::filesystem::create_directory(point);
  std::filesystem::create_directory_symlink(point, directory / "link");
  const FileDescriptor above(::open(directory.path().c_str(), O_PATH | O_CLOEXEC));
  const auto is_told = [&](const std::string& name) {
    return mount_rooted_at(above.get(), name).has_value();
  };
  CHECK_FALSE(is_told("a point"));
  std::filesystem::create_directories(directory / "source/inner");
  const test::BindMount mounted(directory / "source", point);

  const auto mount = mount_rooted_at(above.get(), "a point");
  REQUIRE(mount);
  CHECK(mount->point == std::filesystem::canonical(point));
  CHECK(is_told(point));
  CHECK_FALSE(is_told("link"));
  CHECK_FALSE(is_told("a point/inner"));
  CHECK_FALSE(is_told("absent"));
  CHECK_FALSE(is_told(""));
  const FileDescriptor root(::open(point.c_str(), O_PATH | O_CLOEXEC));
  const auto opened = mount_rooted_at(root.get(), "");
  REQUIRE(opened);
  CHECK(opened->id == mount->id);
}

}  // namespace
}  // namespace longshore::support
