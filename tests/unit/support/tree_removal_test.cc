#include "support/linux/tree_removal.h"

#include <fcntl.h>
#include <malloc.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <filesystem>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "support/linux/rooted_opener.h"
#include "tests/support/bind_mount.h"
#include "tests/support/temporary_directory.h"

namespace longshore::support {
namespace {

namespace fs = std::filesystem;

FileDescriptor open_directory(const std::string& path) {
  return FileDescriptor(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
}

Result<void> empty(const std::string& path, const Deadline& deadline = {}) {
  return remove_contents(open_directory(path), path, deadline);
}

// Directories within directories, each named `name`; deeper than any path could say.
void make_chain(const std::string& top, int depth, const std::string& name = "d") {
  fs::create_directories(top);
  FileDescriptor directory = open_directory(top);
  for (int level = 0; level < depth; ++level) {
    REQUIRE(::mkdirat(directory.get(), name.c_str(), 0755) == 0);
    directory = open_unfollowed(directory, name, O_PATH | O_DIRECTORY);
  }
}

// Limits whose `cancelled` is asked between the entries and always says no: a place from which a
// test can do, at a known moment, what a second process might.
template <typename Function>
Deadline in_between(Function function) {
  Deadline deadline;
  deadline.cancelled = [function]() mutable {
    function();
    return false;
  };
  return deadline;
}

TEST_CASE("everything in a directory goes and the directory stays") {
  const test::TemporaryDirectory top;
  fs::create_directories(top / "a/b/c");
  fs::create_directories(top / "empty");
  test::write_file(top / "a/b/file", "x");
  test::write_file(top / "file", "x");
  ::mkfifo((top / "fifo").c_str(), 0600);
  CHECK(empty(top.path()));
  CHECK(fs::is_directory(top.path()));
  CHECK(fs::is_empty(top.path()));
}

TEST_CASE("links are removed and what they lead to stays") {
  const test::TemporaryDirectory directory;
  fs::create_directories(directory / "outside/kept");
  test::write_file(directory / "outside/kept/file", "kept");
  fs::create_directories(directory / "top/a");
  fs::create_directory_symlink(directory / "outside", directory / "top/a/absolute");
  fs::create_directory_symlink("../../outside/kept", directory / "top/a/relative");
  fs::create_symlink("nowhere", directory / "top/dangling");
  CHECK(empty(directory / "top"));
  CHECK(fs::is_empty(directory / "top"));
  CHECK(fs::exists(directory / "outside/kept/file"));
}

TEST_CASE("odd names are names like others") {
  const test::TemporaryDirectory top;
  const std::vector<std::string> names = {" ",        "-rf", "...", "a\nb", "back\\slash",
                                          "\xff\xfe", "*",   "~",   "C:",   std::string(255, 'n')};
  for (const std::string& name : names) {
    fs::create_directories(top.path() / "tree" / name / name);
    test::write_file(top.path() / "tree" / name / name / name, "x");
  }
  CHECK(empty(top / "tree"));
  CHECK(fs::is_empty(top / "tree"));
}

TEST_CASE("ten thousand levels go with few descriptors, little memory and few steps", "[large]") {
  constexpr int kLevels = 10'000;
  const test::TemporaryDirectory top;
  make_chain(top / "tree", kLevels, std::string(250, 'n'));
  rlimit before{};
  ::getrlimit(RLIMIT_NOFILE, &before);
  const rlimit few{64, before.rlim_max};
  ::setrlimit(RLIMIT_NOFILE, &few);
  const size_t held_before = ::mallinfo2().uordblks;
  size_t most_held = held_before;
  int looks = 0;  // at the deadline, one each 64 steps
  const Result<void> removed = empty(top / "tree", in_between([&] {
                                       most_held = std::max(most_held, ::mallinfo2().uordblks);
                                       ++looks;
                                     }));
  ::setrlimit(RLIMIT_NOFILE, &before);
  CHECK(removed);
  CHECK(fs::is_empty(top / "tree"));
  CHECK(most_held - held_before < (1u << 20));
  CHECK(looks * 64 < 12 * kLevels);
}

TEST_CASE("deep branches beside each other go") {
  const test::TemporaryDirectory top;
  for (const char* branch : {"x", "y", "z"}) {
    make_chain(fs::path(top / "tree") / branch, 100);
    for (int file = 0; file < 10; ++file) {
      test::write_file(fs::path(top / "tree") / branch / "d/d" / std::to_string(file), "x");
    }
  }
  CHECK(empty(top / "tree"));
  CHECK(fs::is_empty(top / "tree"));
}

TEST_CASE("a hundred thousand files in one directory go", "[large]") {
  const test::TemporaryDirectory top;
  const FileDescriptor directory = open_directory(top.path());
  for (int file = 0; file < 100'000; ++file) {
    REQUIRE(::mknodat(directory.get(), std::to_string(file).c_str(), S_IFREG | 0600, 0) == 0);
  }
  CHECK(empty(top.path()));
  CHECK(fs::is_empty(top.path()));
}

TEST_CASE("a mount below is refused before anything is removed") {
  const test::TemporaryDirectory directory;
  const bool mount_a_file = GENERATE(false, true);
  CAPTURE(mount_a_file);
  fs::create_directories(directory / "volume");
  test::write_file(directory / "volume/data", "precious");
  fs::create_directories(directory / "top/a/b/point");
  test::write_file(directory / "top/a/first", "x");
  test::write_file(directory / "top/a/b/file-point", "");
  const std::string point = directory / (mount_a_file ? "top/a/b/file-point" : "top/a/b/point");
  {
    const test::BindMount mount(directory / (mount_a_file ? "volume/data" : "volume"), point);
    const Result<void> removed = empty(directory / "top");
    REQUIRE_FALSE(removed);
    CHECK(removed.error().code() == StatusCode::kFailedPrecondition);
    CHECK(removed.error().message() ==
          "cannot remove what is in \"" + directory / "top" + "\": \"" + point +
              "\" is a mount point; nothing was removed; unmount it first");
    CHECK(fs::exists(directory / "top/a/first"));
  }
  CHECK(empty(directory / "top"));
  CHECK(fs::exists(directory / "volume/data"));
}

TEST_CASE("a mount that appears meanwhile is not entered") {
  const test::TemporaryDirectory directory;
  fs::create_directories(directory / "volume/sub");
  test::write_file(directory / "volume/sub/data", "precious");
  make_chain(directory / "top", 100);
  std::string point = directory / "top";
  for (int level = 0; level < 80; ++level) point += "/d";
  std::optional<test::BindMount> mount;
  const Result<void> removed = empty(directory / "top", in_between([&] {
                                       if (!mount) mount.emplace(directory / "volume", point);
                                     }));
  REQUIRE(mount);
  REQUIRE_FALSE(removed);
  CHECK(removed.error().code() == StatusCode::kFailedPrecondition);
  CHECK_THAT(removed.error().message(), Catch::Contains("\"" + point + "\" is a mount point"));
  CHECK(fs::exists(directory / "volume/sub/data"));
}

TEST_CASE("a directory that is a mount point through another path is refused") {
  const test::TemporaryDirectory directory;
  fs::create_directories(directory / "alias");
  fs::create_directories(directory / "volume");
  test::write_file(directory / "volume/data", "precious");
  fs::create_directories(directory / "top/point");
  const test::BindMount alias(directory / "top", directory / "alias");
  const test::BindMount mount(directory / "volume", directory / "alias/point");
  const Result<void> removed = empty(directory / "top");
  REQUIRE_FALSE(removed);
  CHECK(removed.error().code() == StatusCode::kFailedPrecondition);
  CHECK(fs::exists(directory / "volume/data"));
}

TEST_CASE("a directory moved out meanwhile does not lead the removal astray") {
  const test::TemporaryDirectory directory;
  make_chain(directory / "top", 100);
  fs::create_directories(directory / "elsewhere/place");
  test::write_file(directory / "elsewhere/place/kept", "kept");
  test::write_file(directory / "elsewhere/kept", "kept");
  std::string tenth = directory / "top";
  for (int level = 0; level < 10; ++level) tenth += "/d";
  bool moved = false;
  const Result<void> removed = empty(directory / "top", in_between([&] {
                                       if (!std::exchange(moved, true))
                                         fs::rename(tenth, directory / "elsewhere/place/d");
                                     }));
  REQUIRE(moved);
  CHECK(removed);
  CHECK(fs::is_empty(directory / "top"));
  CHECK(fs::exists(directory / "elsewhere/place/kept"));
  CHECK(fs::exists(directory / "elsewhere/kept"));
}

TEST_CASE("a directory replaced by another meanwhile leaves nothing behind") {
  const test::TemporaryDirectory directory;
  make_chain(directory / "top", 100);
  make_chain(directory / "other", 5);
  std::string tenth = directory / "top";
  for (int level = 0; level < 10; ++level) tenth += "/d";
  bool replaced = false;
  const Result<void> removed =
      empty(directory / "top", in_between([&] {
              if (std::exchange(replaced, true)) return;
              REQUIRE(::renameat2(AT_FDCWD, tenth.c_str(), AT_FDCWD, (directory / "other").c_str(),
                                  RENAME_EXCHANGE) == 0);
            }));
  REQUIRE(replaced);
  CHECK(removed);
  CHECK(fs::is_empty(directory / "top"));
  CHECK(fs::is_directory(directory / "other"));
}

TEST_CASE("a directory that others fill as fast as it is emptied is given up") {
  const test::TemporaryDirectory directory;
  fs::create_directories(directory / "top");
  int made = 0;
  const auto make = [&](int files) {
    for (; files > 0; --files) test::write_file(directory / ("top/" + std::to_string(made++)), "");
  };
  make(640);
  const Result<void> removed = empty(directory / "top", in_between([&] { make(64); }));
  REQUIRE_FALSE(removed);
  CHECK(removed.error().code() == StatusCode::kAborted);
  CHECK_THAT(removed.error().message(), Catch::Contains("others keep putting entries into it"));
}

TEST_CASE("links replaced by directories all the while lead nowhere") {
  const test::TemporaryDirectory directory;
  fs::create_directories(directory / "victim/sub");
  for (const char* name : {"victim/file", "victim/sub/file"}) {
    test::write_file(directory / name, "kept");
  }
  std::atomic<bool> over = false;
  std::thread racer([&] {
    const std::string inside = directory / "top/a/dir";
    const std::string link = directory / "top/a/link";
    while (!over) ::renameat2(AT_FDCWD, inside.c_str(), AT_FDCWD, link.c_str(), RENAME_EXCHANGE);
  });
  int finished = 0;
  for (int round = 0; round < 300; ++round) {
    fs::create_directories(directory / "top/a/dir/x/y");
    test::write_file(directory / "top/a/dir/x/file", "x");
    std::error_code ignored;
    fs::create_directory_symlink(directory / "victim", directory / "top/a/link", ignored);
    const Result<void> removed = empty(directory / "top");
    finished += removed.ok();
    if (!removed) CHECK(removed.error().code() == StatusCode::kAborted);
  }
  over = true;
  racer.join();
  CHECK(finished > 0);
  CHECK(fs::exists(directory / "victim/file"));
  CHECK(fs::exists(directory / "victim/sub/file"));
}

TEST_CASE("several that remove the same tree all succeed") {
  const test::TemporaryDirectory directory;
  for (int branch = 0; branch < 50; ++branch) {
    make_chain(directory / ("top/" + std::to_string(branch)), 40);
  }
  std::atomic<int> succeeded = 0;
  std::vector<std::thread> removers;
  for (int count = 0; count < 4; ++count) {
    removers.emplace_back([&] { succeeded += empty(directory / "top").ok(); });
  }
  for (std::thread& remover : removers) remover.join();
  CHECK(succeeded == 4);
  CHECK(fs::is_empty(directory / "top"));
}

TEST_CASE("the deadline end it between two entries, and another call goes on") {
  const test::TemporaryDirectory directory;
  make_chain(directory / "top", 500);
  Deadline deadline;
  SECTION("deadline") {
    deadline.time = Deadline::Clock::now();
    const Result<void> removed = empty(directory / "top", deadline);
    REQUIRE_FALSE(removed);
    CHECK(removed.error().code() == StatusCode::kDeadlineExceeded);
    CHECK_THAT(removed.error().message(), Catch::Contains("another call goes on from there"));
  }
  SECTION("cancellation") {
    int asked = 0;
    deadline.cancelled = [&] { return ++asked == 3; };
    const Result<void> removed = empty(directory / "top", deadline);
    REQUIRE_FALSE(removed);
    CHECK(removed.error().code() == StatusCode::kCancelled);
  }
  CHECK_FALSE(fs::is_empty(directory / "top"));
  CHECK(empty(directory / "top"));
  CHECK(fs::is_empty(directory / "top"));
}

TEST_CASE("what cannot be emptied is an error that names it") {
  const test::TemporaryDirectory directory;
  test::write_file(directory / "file", "x");
  const FileDescriptor file(::open((directory / "file").c_str(), O_PATH | O_CLOEXEC));
  const Result<void> removed = remove_contents(file, directory / "file", {});
  REQUIRE_FALSE(removed);
  CHECK(removed.error().code() == StatusCode::kFailedPrecondition);
  CHECK_THAT(removed.error().message(), Catch::Contains(directory / "file"));
}

}  // namespace
}  // namespace longshore::support
