// What changes at a path and around it, on a real file system.
#include "files/file_watch.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>

#include "tests/support/read_file.h"
#include "tests/support/temporary_directory.h"

namespace longshore::files {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

struct Watcher {
  // Whether anything was told by now.
  bool is_told() {
    const size_t before = told;
    io.restart();
    io.poll();
    return told > before;
  }
  void watch(const std::string& only) { REQUIRE(files->watch({only})); }

  test::TemporaryDirectory folder;
  const std::string path = folder / "file";
  boost::asio::io_context io;
  size_t told = 0;
  std::unique_ptr<FileWatch> files = FileWatch::make(io, [this] { ++told; });
};

}  // namespace

TEST_CASE_METHOD(Watcher, "A file that is made, written, replaced, opened or removed is told") {
  watch(path);
  CHECK_FALSE(is_told());
  test::write_file(path, "one");
  CHECK(is_told());
  test::write_file(path, "two");
  CHECK(is_told());
  fs::permissions(path, fs::perms(0600));
  CHECK(is_told());
  test::write_file(path + ".new", "three");
  CHECK_FALSE(is_told());
  fs::rename(path + ".new", path);
  CHECK(is_told());
  fs::remove(path);
  CHECK(is_told());
  fs::create_symlink("nowhere", path);
  CHECK(is_told());
}

TEST_CASE_METHOD(Watcher, "What others do in the folder is not told, nor is who reads the file") {
  test::write_file(path, "one");
  watch(path);
  test::write_file(folder / "other", "one");
  fs::remove(folder / "other");
  CHECK(test::read_file(path) == "one");
  CHECK_FALSE(is_told());
}

TEST_CASE_METHOD(Watcher, "A folder that is not there yet is waited for, and one that goes") {
  watch(folder / "a/b/file");
  fs::create_directory(folder / "a");
  CHECK(is_told());
  fs::create_directory(folder / "a/b");
  CHECK(is_told());
  test::write_file(folder / "a/b/file", "one");
  CHECK(is_told());
  fs::remove_all(folder / "a");
  CHECK(is_told());
  fs::create_directories(folder / "a/b");
  CHECK(is_told());
  test::write_file(folder / "a/b/file", "one");
  CHECK(is_told());
}

TEST_CASE_METHOD(Watcher,
                 "Only what was asked for last is watched, and nothing when that is none") {
  watch(path);
  watch(folder / "other");
  test::write_file(path, "one");
  CHECK_FALSE(is_told());
  test::write_file(folder / "other", "one");
  CHECK(is_told());
  REQUIRE(files->watch({}));
  test::write_file(folder / "other", "two");
  CHECK_FALSE(is_told());
}

TEST_CASE_METHOD(Watcher, "Several paths of several folders are watched at once") {
  fs::create_directory(folder / "a");
  REQUIRE(files->watch({path, folder / "a/one", folder / "a/two"}));
  for (const std::string& each : {path, folder / "a/one", folder / "a/two"}) {
    test::write_file(each, "one");
    CHECK(is_told());
  }
}

}  // namespace longshore::files
