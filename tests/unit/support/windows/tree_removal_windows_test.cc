// Trees that are removed, on a filesystem in memory: reparse points in them, and others at work.
#include <catch2/catch.hpp>

#include "longshore/windows/wide_text.hpp"
#include "support/windows/file_error.h"
#include "support/windows/tree_removal.h"
#include "tests/support/outcome.h"
#include "tests/support/windows/ntfs_fake.h"
#include "tests/support/windows/reparse_bytes.h"

namespace longshore::support {
namespace {

using test::NtfsFake;
using test::outcome;

// C:\top, of which the content is removed.
class Tree {
 public:
  Tree() {
    ntfs.put_directory("C:\\top");
    ntfs.put_file("C:\\kept\\file");
  }
  ~Tree() { CHECK(ntfs.opened() == 0); }

  Result<void> remove(const Deadline& deadline = {}) {
    std::error_code error;
    const auto top = ntfs.open_path(L"\\\\?\\C:\\top", FileSystemCalls::LastName::kUnfollowed,
                                    FileAccess::kList, error);
    return remove_contents(*top, "C:\\top", deadline);
  }
  bool is_empty() {
    std::error_code error;
    return ntfs
        .open_path(L"\\\\?\\C:\\top", FileSystemCalls::LastName::kUnfollowed, FileAccess::kList,
                   error)
        ->list(error)
        .empty();
  }

  NtfsFake ntfs;
};

TEST_CASE("all that a directory on NTFS holds goes, and the directory stays") {
  Tree tree;
  CHECK(outcome(tree.remove()) == "OK");
  for (int number = 0; number < 20; ++number) {
    const std::string name = "C:\\top\\" + std::to_string(number);
    tree.ntfs.put_file(name + "\\a\\file");
    tree.ntfs.put_directory(name + "\\a\\b\\c");
    tree.ntfs.put_file(name + "f");
  }
  CHECK(outcome(tree.remove()) == "OK");
  CHECK(tree.is_empty());
}

TEST_CASE("a deep tree goes") {
  Tree tree;
  std::string path = "C:\\top";
  for (int depth = 0; depth < 500; ++depth) path += "\\d";
  tree.ntfs.put_file(path);
  CHECK(outcome(tree.remove()) == "OK");
  CHECK(tree.is_empty());
}

TEST_CASE("no reparse point is entered, whatever its kind") {
  Tree tree;
  tree.ntfs.put_file("C:\\top\\a\\file");
  tree.ntfs.put_symbolic_link("C:\\kept", "C:\\top\\a\\link");
  tree.ntfs.put_symbolic_link("C:\\kept\\file", "C:\\top\\a\\to-file");
  tree.ntfs.put_symbolic_link("none", "C:\\top\\a\\dangling");
  tree.ntfs.put_junction("C:\\kept", "C:\\top\\a\\junction");
  tree.ntfs.mount(1, "C:\\top\\a\\mounted");
  tree.ntfs.put_file(NtfsFake::volume_name(1) + "data");
  tree.ntfs.put_mount_point(NtfsFake::volume_name(0), "C:\\top\\a\\planted");
  std::vector<std::byte> damaged, foreign;
  test::append_number(damaged, test::kMountPointTag, 4);
  test::append_number(damaged, 0xffff, 4);
  test::append_number(foreign, 0xA000001D, 4);
  test::append_number(foreign, 0, 4);
  tree.ntfs.put_reparse_point(damaged, "C:\\top\\a\\damaged");
  tree.ntfs.put_reparse_point(foreign, "C:\\top\\a\\foreign");
  CHECK(outcome(tree.remove()) == "OK");
  CHECK(tree.is_empty());
  CHECK(tree.ntfs.inspect("C:\\kept\\file"));
  CHECK(tree.ntfs.inspect(NtfsFake::volume_name(1) + "data"));
}

TEST_CASE("the mount manager no longer knows a volume whose mount point was removed") {
  Tree tree;
  tree.ntfs.mount(1, "C:\\top\\mounted");
  std::error_code error;
  const std::wstring volume = wide(NtfsFake::volume_name(1));
  REQUIRE(tree.ntfs.paths_of_volume(volume, error).size() == 1);
  CHECK(outcome(tree.remove()) == "OK");
  CHECK(tree.ntfs.paths_of_volume(volume, error).empty());
}

TEST_CASE("a volume is flushed before its mount point in a tree goes, as far as that is possible") {
  Tree tree;
  const bool fails = GENERATE(false, true);
  tree.ntfs.mount(1, "C:\\top\\a\\mounted");
  tree.ntfs.before = [fails](const std::string& call, const std::string&) {
    return fails && call == "flush_volume" ? windows_error(ERROR_IO_DEVICE) : std::error_code();
  };
  CHECK(outcome(tree.remove()) == "OK");
  CHECK(tree.is_empty());
  CHECK(tree.ntfs.flushes(NtfsFake::volume_name(1)) == (fails ? 0 : 1));
}

TEST_CASE("a mount point that cannot be taken away ends it, with the path") {
  Tree tree;
  tree.ntfs.mount(1, "C:\\top\\a\\mounted");
  tree.ntfs.before = [](const std::string& call, const std::string&) {
    return call == "detach_volume" ? windows_error(ERROR_ACCESS_DENIED) : std::error_code();
  };
  const Result<void> removed = tree.remove();
  CHECK(outcome(removed) == "PERMISSION_DENIED");
  CHECK_THAT(removed.error().message(),
             Catch::StartsWith("cannot remove \"C:\\top\\a\\mounted\": "));
  CHECK(tree.ntfs.inspect("C:\\top\\a\\mounted")->point);
}

TEST_CASE("a directory of a filter driver's that is not empty is left alone") {
  Tree tree;
  tree.ntfs.put_directory("C:\\top\\layer");
  tree.ntfs.before = [](const std::string& call, const std::string& path) {
    return call == "remove" && path == "C:\\top\\layer" ? windows_error(ERROR_DIR_NOT_EMPTY)
                                                        : std::error_code();
  };
  std::vector<std::byte> layer;
  test::append_number(layer, 0x90000018, 4);
  test::append_number(layer, 0, 4);
  tree.ntfs.put_reparse_point(layer, "C:\\top\\layer");
  const Result<void> removed = tree.remove();
  CHECK(outcome(removed) == "FAILED_PRECONDITION");
  CHECK_THAT(removed.error().message(), Catch::StartsWith("cannot remove \"C:\\top\\layer\": "));
}

TEST_CASE("a directory that becomes a link while its tree is removed is not followed") {
  Tree tree;
  tree.ntfs.put_file("C:\\top\\a\\dir\\file");
  const std::string swapped_at = GENERATE("open", "facts", "remove", "list");
  CAPTURE(swapped_at);
  bool is_swapped = false;
  tree.ntfs.before = [&](const std::string& call, const std::string& path) {
    if (call == swapped_at && path == "C:\\top\\a\\dir" && !is_swapped) {
      is_swapped = true;
      tree.ntfs.move("C:\\top\\a\\dir", "C:\\top\\moved");
      tree.ntfs.put_symbolic_link("C:\\kept", "C:\\top\\a\\dir");
    }
    return std::error_code();
  };
  CHECK(outcome(tree.remove()) == "OK");
  CHECK(is_swapped);
  CHECK(tree.is_empty());
  CHECK(tree.ntfs.inspect("C:\\kept\\file"));
}

TEST_CASE("of a directory that is moved out meanwhile only itself goes, and nothing around it") {
  Tree tree;
  tree.ntfs.put_file("C:\\top\\a\\dir\\file");
  tree.ntfs.put_file("C:\\top\\a\\other");
  bool is_moved = false;
  tree.ntfs.before = [&](const std::string& call, const std::string& path) {
    if (call == "list" && path == "C:\\top\\a\\dir" && !is_moved) {
      is_moved = true;
      tree.ntfs.move("C:\\top\\a\\dir", "C:\\kept\\dir");
    }
    return std::error_code();
  };
  CHECK(outcome(tree.remove()) == "OK");
  CHECK(is_moved);
  CHECK(tree.is_empty());
  CHECK(tree.ntfs.inspect("C:\\kept\\file"));
}

TEST_CASE("what others remove meanwhile is no failure") {
  Tree tree;
  for (const char* name : {"a\\b\\c", "d", "e"}) {
    tree.ntfs.put_file("C:\\top\\" + std::string(name));
  }
  const std::string removed_at = GENERATE("open", "facts", "remove", "list");
  CAPTURE(removed_at);
  tree.ntfs.before = [&](const std::string& call, const std::string& path) {
    if (call == removed_at && path == "C:\\top\\a\\b") tree.ntfs.remove("C:\\top\\a");
    return std::error_code();
  };
  CHECK(outcome(tree.remove()) == "OK");
  CHECK(tree.is_empty());
}

TEST_CASE("a tree that others keep filling is given up") {
  Tree tree;
  tree.ntfs.put_file("C:\\top\\a\\file");
  tree.ntfs.before = [&](const std::string& call, const std::string& path) {
    if (call == "remove" && path == "C:\\top\\a") tree.ntfs.put_file("C:\\top\\a\\file");
    return std::error_code();
  };
  const Result<void> removed = tree.remove();
  CHECK(outcome(removed) == "ABORTED");
  CHECK_THAT(removed.error().message(), Catch::Contains("\"C:\\top\\a\""));
}

TEST_CASE("a file that somebody has open keeps its name, and the tree is given up") {
  Tree tree;
  tree.ntfs.put_file("C:\\top\\a\\open");
  SECTION("and removing it is only noted") {
    tree.ntfs.before = [&](const std::string& call, const std::string& path) {
      return call == "open" && path == "C:\\top\\a\\open" ? windows_error(ERROR_DELETE_PENDING)
                                                          : std::error_code();
    };
    CHECK(outcome(tree.remove()) == "ABORTED");
  }
  SECTION("and it may not be removed") {
    tree.ntfs.before = [&](const std::string& call, const std::string& path) {
      return call == "open" && path == "C:\\top\\a\\open" ? windows_error(ERROR_SHARING_VIOLATION)
                                                          : std::error_code();
    };
    const Result<void> removed = tree.remove();
    CHECK(outcome(removed) == "FAILED_PRECONDITION");
    CHECK_THAT(removed.error().message(),
               Catch::StartsWith("cannot remove \"C:\\top\\a\\open\": ") &&
                   Catch::Contains("a program has it open"));
  }
}

TEST_CASE("a removal of a tree ends at its deadline, and the next goes on") {
  Tree tree;
  for (int number = 0; number < 100; ++number) {
    tree.ntfs.put_file("C:\\top\\" + std::to_string(number));
  }
  Deadline cancelled;
  cancelled.cancelled = [] { return true; };
  CHECK(outcome(tree.remove(cancelled)) == "CANCELLED");
  CHECK_FALSE(tree.is_empty());
  CHECK(outcome(tree.remove()) == "OK");
}

}  // namespace
}  // namespace longshore::support
