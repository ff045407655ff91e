#include "files/private_folder.h"

#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <filesystem>

#include "tests/support/eventually.h"
#include "tests/support/temporary_directory.h"

namespace longshore::files {
namespace {

namespace fs = std::filesystem;

struct Wanted {
  static struct stat status_of(const std::string& file) {
    struct stat status {};
    REQUIRE(::lstat(file.c_str(), &status) == 0);
    return status;
  }
  mode_t mode() const { return status_of(path).st_mode & ALLPERMS; }
  static bool are_at_once(const struct stat& one, const struct stat& other) {
    return one.st_ctim.tv_sec == other.st_ctim.tv_sec &&
           one.st_ctim.tv_nsec == other.st_ctim.tv_nsec;
  }

  test::TemporaryDirectory directory;
  const std::string path = directory / "state/disk";
};

TEST_CASE_METHOD(Wanted, "A private folder is made with those above it, and is its owner's alone") {
  REQUIRE(make_private_folder(path));
  CHECK(mode() == 0700);
}

TEST_CASE_METHOD(Wanted,
                 "A private folder that was open is closed, and one that was not is left alone") {
  fs::create_directories(path);
  REQUIRE(::chmod(path.c_str(), 0755) == 0);
  REQUIRE(make_private_folder(path));
  CHECK(mode() == 0700);
  const struct stat before = status_of(path);
  // A change from now on would have another time.
  REQUIRE(test::eventually([&] {
    test::write_file(directory / "later", "");
    return !are_at_once(status_of(directory / "later"), before);
  }));
  REQUIRE(make_private_folder(path));  // so it can be had where nothing can be written
  CHECK(are_at_once(status_of(path), before));
}

TEST_CASE_METHOD(Wanted, "A link or a file in the place of a private folder is an error") {
  fs::create_directories(directory / "state");
  fs::create_directory(directory / "victim");
  const bool is_link = GENERATE(false, true);
  if (is_link) {
    fs::create_symlink(directory / "victim", path);
  } else {
    test::write_file(path, "precious");
  }
  const auto made = make_private_folder(path);
  REQUIRE_FALSE(made);
  CHECK_THAT(made.error().message(), Catch::Contains("cannot make the folder \"" + path + "\""));
  CHECK(is_link == fs::is_symlink(path));
}

}  // namespace
}  // namespace longshore::files
