// Paths that are followed by handles, on a filesystem in memory: links, volumes, and what others
// change on the way.
#include <catch2/catch.hpp>
#include <utility>

#include "longshore/windows/wide_text.hpp"
#include "support/windows/file_error.h"
#include "support/windows/rooted_opener.h"
#include "support/windows/rooted_walk.h"
#include "tests/support/windows/ntfs_fake.h"
#include "tests/support/windows/reparse_bytes.h"

namespace longshore::support {
namespace {

using test::NtfsFake;

constexpr const char* kRoot = "C:\\root";

class Opened {
 public:
  Opened() {
    ntfs.put_directory(kRoot);
    ntfs.put_directory("C:\\other\\inner");
    ntfs.put_directory("C:\\outside");
    ntfs.put_file("C:\\outside\\secret");
  }
  ~Opened() { CHECK(ntfs.opened() == 0); }

  // Where the path leads: the names in what is opened, "a|b"; "out: <path>"; or the status code.
  std::string follow(const std::string& path) {
    const auto found = opener.follow(*WindowsPath::parse(path, "test"), FileAccess::kList, "test");
    if (!found) return status_code_name(found.error().code());
    if (!found->opened) return "out: " + found->outside;
    std::error_code error;
    if (!found->opened->facts(error).is_directory) return "file";
    std::string names;
    for (const std::wstring& name : found->opened->list(error)) {
      names.append(names.empty() ? "" : "|").append(narrow(name));
    }
    return "[" + names + "]";
  }

  NtfsFake ntfs;
  const RootedOpener opener{ntfs, *AllowedRoots::from({kRoot, "C:\\other"})};
};

TEST_CASE("a path without links leads to what has its names, in whatever case") {
  Opened world;
  world.ntfs.put_file("C:\\root\\a\\b\\file");
  CHECK(world.follow("C:\\root\\a\\b") == "[file]");
  CHECK(world.follow("c:\\ROOT\\A\\B\\FILE") == "file");
  CHECK(world.follow("C:\\root") == "[a]");
  CHECK(world.follow("C:\\root\\none") == "NOT_FOUND");
  CHECK(world.follow("C:\\root\\none\\deeper") == "NOT_FOUND");
  CHECK(world.follow("C:\\root\\a\\b\\file\\deeper") == "FAILED_PRECONDITION");
}

TEST_CASE("symbolic links and junctions are followed within the roots") {
  Opened world;
  world.ntfs.put_file("C:\\root\\a\\b\\file");
  world.ntfs.put_symbolic_link("C:\\root\\a", "C:\\root\\absolute");
  world.ntfs.put_symbolic_link("c:\\ROOT\\A", "C:\\root\\shouted");
  world.ntfs.put_symbolic_link("..\\a\\b", "C:\\root\\x\\relative");
  world.ntfs.put_symbolic_link("\\root\\a", "C:\\root\\from-drive");
  world.ntfs.put_symbolic_link(".", "C:\\root\\a\\here");
  world.ntfs.put_junction("C:\\root\\a", "C:\\root\\junction");
  world.ntfs.put_junction("C:\\other", "C:\\root\\to-other");
  CHECK(world.follow("C:\\root\\absolute\\b") == "[file]");
  CHECK(world.follow("C:\\root\\shouted\\b") == "[file]");
  CHECK(world.follow("C:\\root\\x\\relative") == "[file]");
  CHECK(world.follow("C:\\root\\from-drive\\b") == "[file]");
  CHECK(world.follow("C:\\root\\a\\here\\b") == "[file]");
  CHECK(world.follow("C:\\root\\junction\\b") == "[file]");
  CHECK(world.follow("C:\\root\\to-other") == "[inner]");
}

TEST_CASE("what leads out of the roots is not opened, and only a path is told") {
  Opened world;
  world.ntfs.put_directory("C:\\root\\a");
  struct Case {
    std::string target, told;
  };
  const auto [target, told] = GENERATE(values<Case>({
      {"C:\\outside", "out: C:\\outside\\secret"},
      {"C:\\rooted", "out: C:\\rooted\\secret"},
      {"C:\\", "out: C:\\secret"},
      {"D:\\root", "out: D:\\root\\secret"},
      {"\\\\server\\share\\", "out: \\\\server\\share\\secret"},
      {"\\\\?\\GLOBALROOT\\Device\\X", "out: \\\\?\\GLOBALROOT\\Device\\X\\secret"},
      {"\\outside", "out: C:\\outside\\secret"},
      {"..", "PERMISSION_DENIED"},
      {"a\\..\\..\\outside", "PERMISSION_DENIED"},
      {"C:\\root\\..\\outside", "PERMISSION_DENIED"},
  }));
  CAPTURE(target);
  world.ntfs.put_symbolic_link(target, "C:\\root\\link");
  world.ntfs.before = [](const std::string&, const std::string& path) {
    CHECK_THAT(path, !Catch::Contains("outside"));
    return std::error_code();
  };
  CHECK(world.follow("C:\\root\\link\\secret") == told);
  const auto opened = world.opener.open(*WindowsPath::parse("C:\\root\\link\\secret", "test"),
                                        FileAccess::kLook, "look for");
  REQUIRE_FALSE(opened);
  CHECK(opened.error().code() == StatusCode::kPermissionDenied);
  CHECK_THAT(opened.error().message(),
             Catch::Contains("leads out of the allowed roots [\"C:\\root\", \"C:\\other\"]"));
}

TEST_CASE("a link's names are one name each, and no streams") {
  Opened world;
  world.ntfs.put_directory("C:\\root\\a");
  for (const char* target : {"a/b", "a:stream", "a::$INDEX_ALLOCATION", "C:\\root\\a:x"}) {
    CAPTURE(target);
    world.ntfs.put_symbolic_link(target, "C:\\root\\link");
    CHECK(world.follow("C:\\root\\link") == "NOT_FOUND");
  }
}

TEST_CASE("a volume that is mounted on the way is entered, and not left upwards") {
  Opened world;
  world.ntfs.mount(1, "C:\\root\\stage");
  const std::string volume = NtfsFake::volume_name(1);
  world.ntfs.put_file(volume + "data\\file");
  world.ntfs.put_symbolic_link("data", volume + "link");
  world.ntfs.put_symbolic_link("..\\root", volume + "up");
  world.ntfs.put_symbolic_link("data\\..\\..", volume + "up-again");
  world.ntfs.put_symbolic_link("\\root", volume + "from-top");
  world.ntfs.put_symbolic_link("C:\\root\\stage\\data", volume + "absolute");
  world.ntfs.put_symbolic_link("C:\\root\\stage", "C:\\root\\publish");
  CHECK(world.follow("C:\\root\\stage\\data") == "[file]");
  CHECK(world.follow("C:\\root\\stage\\link") == "[file]");
  CHECK(world.follow("C:\\root\\stage\\absolute") == "[file]");
  CHECK(world.follow("C:\\root\\publish\\data") == "[file]");
  CHECK(world.follow("C:\\root\\stage\\up") == "PERMISSION_DENIED");
  CHECK(world.follow("C:\\root\\stage\\up-again") == "PERMISSION_DENIED");
  CHECK(world.follow("C:\\root\\stage\\from-top") == "PERMISSION_DENIED");
}

TEST_CASE("what only looks like a mount point leads out") {
  Opened world;
  world.ntfs.put_file("C:\\root\\a");
  // The system's own volume, and one that is mounted elsewhere.
  world.ntfs.put_mount_point(NtfsFake::volume_name(0), "C:\\root\\system");
  world.ntfs.mount(2, "C:\\outside\\mounted");
  world.ntfs.put_mount_point(NtfsFake::volume_name(2), "C:\\root\\planted");
  world.ntfs.put_symbolic_link(NtfsFake::volume_name(1), "C:\\root\\link");
  CHECK(world.follow("C:\\root\\system\\outside") == "PERMISSION_DENIED");
  CHECK(world.follow("C:\\root\\planted") == "PERMISSION_DENIED");
  CHECK(world.follow("C:\\root\\link\\x") == "out: " + NtfsFake::volume_name(1) + "x");
  // A second mount point of one that may be reached adds nothing.
  world.ntfs.mount(3, "C:\\other\\mounted");
  world.ntfs.put_file(NtfsFake::volume_name(3) + "file");
  world.ntfs.put_mount_point(NtfsFake::volume_name(3), "C:\\root\\twice");
  CHECK(world.follow("C:\\root\\twice") == "[file]");
}

TEST_CASE("a volume whose disk is gone is missing, and the mount manager's failure is told") {
  Opened world;
  world.ntfs.mount(1, "C:\\root\\stage");
  SECTION("gone") {
    world.ntfs.lose_volume(1);
    CHECK(world.follow("C:\\root\\stage\\x") == "NOT_FOUND");
    const auto path = *WindowsPath::parse("C:\\root\\stage\\x", "test");
    CHECK(world.opener.dangling_link(path) == "the link \"C:\\root\\stage\" leads to \"" +
                                                  NtfsFake::volume_name(1) +
                                                  "\", where nothing is");
  }
  SECTION("the mount manager says nothing") {
    world.ntfs.before = [](const std::string& call, const std::string&) {
      return call == "paths_of_volume" ? windows_error(ERROR_ACCESS_DENIED) : std::error_code();
    };
    CHECK(world.follow("C:\\root\\stage\\x") == "PERMISSION_DENIED");
  }
}

TEST_CASE("reparse points of others are not followed, and what is none of a link is what it is") {
  Opened world;
  std::vector<std::byte> surrogate, own, damaged;
  for (const auto& [tag, data] : {std::pair{0xA000001Du, &surrogate},
                                  {0x9000001Au, &own},
                                  {test::kSymbolicLinkTag, &damaged}}) {
    test::append_number(*data, tag, 4);
    test::append_number(*data, 0, 4);
  }
  world.ntfs.put_reparse_point(surrogate, "C:\\root\\surrogate");
  world.ntfs.put_reparse_point(own, "C:\\root\\own");
  world.ntfs.put_reparse_point(damaged, "C:\\root\\damaged");
  CHECK(world.follow("C:\\root\\surrogate") == "FAILED_PRECONDITION");
  CHECK(world.follow("C:\\root\\damaged\\x") == "FAILED_PRECONDITION");
  CHECK(world.follow("C:\\root\\own") == "[]");
}

TEST_CASE("links are followed up to a limit, mount points counted") {
  Opened world;
  world.ntfs.put_file("C:\\root\\0\\file");
  const auto link = [](size_t number) { return "C:\\root\\" + std::to_string(number); };
  for (size_t number = 1; number <= RootedWalk::kMaxLinks + 1; ++number) {
    world.ntfs.put_symbolic_link(link(number - 1), link(number));
  }
  CHECK(world.follow(link(RootedWalk::kMaxLinks)) == "[file]");
  CHECK(world.follow(link(RootedWalk::kMaxLinks + 1)) == "FAILED_PRECONDITION");
  world.ntfs.put_junction("C:\\root\\round", "C:\\root\\round");
  CHECK(world.follow("C:\\root\\round\\x") == "FAILED_PRECONDITION");
  world.ntfs.mount(1, "C:\\root\\stage");
  world.ntfs.put_symbolic_link("C:\\root\\stage\\again", NtfsFake::volume_name(1) + "again");
  CHECK(world.follow("C:\\root\\stage\\again") == "FAILED_PRECONDITION");
}

TEST_CASE("the last name is opened itself when it is not to be followed") {
  Opened world;
  world.ntfs.put_symbolic_link("C:\\outside", "C:\\root\\link");
  world.ntfs.put_directory("C:\\root\\a");
  world.ntfs.put_symbolic_link("a", "C:\\root\\to-a");
  world.ntfs.put_symbolic_link("gone", "C:\\root\\a\\dangling");
  const auto is_link = [&](const char* path) {
    const auto opened =
        world.opener.open_unfollowed(*WindowsPath::parse(path, "test"), FileAccess::kLook, "test");
    std::error_code error;
    return opened && (*opened)->facts(error).is_reparse_point;
  };
  CHECK(is_link("C:\\root\\link"));
  CHECK(is_link("C:\\root\\to-a\\dangling"));
  CHECK_FALSE(is_link("C:\\root\\a"));
  CHECK_FALSE(is_link("C:\\root\\none"));
  CHECK_FALSE(is_link("C:\\root\\link\\secret"));
  // A root that is a link of the administrator's is a link, too, and is followed all the same.
  world.ntfs.mount(5, "C:\\other");
  world.ntfs.put_file(NtfsFake::volume_name(5) + "x");
  CHECK(is_link("C:\\other"));
  CHECK(world.follow("C:\\other") == "[x]");
}

TEST_CASE("a dangling link is told by where it lies and what it says") {
  Opened world;
  const auto told = [&](const char* path) {
    return world.opener.dangling_link(*WindowsPath::parse(path, "test")).value_or("nothing");
  };
  world.ntfs.put_symbolic_link("C:\\root\\no where", "C:\\root\\a b");
  world.ntfs.put_symbolic_link("C:\\root\\a b", "C:\\root\\first");
  world.ntfs.put_directory("C:\\root\\there");
  CHECK(told("C:\\root\\a b") ==
        "the link \"C:\\root\\a%20b\" leads to \"C:\\root\\no%20where\", where nothing is");
  CHECK(told("C:\\root\\first\\x") == told("C:\\root\\a b"));
  CHECK(told("C:\\root\\there\\x") == "nothing");
  CHECK(told("C:\\root\\there") == "nothing");
}

TEST_CASE("what is missing is told with the last directory that is there") {
  Opened world;
  world.ntfs.put_directory("C:\\root\\there");
  world.ntfs.put_symbolic_link("C:\\root\\there", "C:\\root\\link");
  world.ntfs.put_symbolic_link("C:\\root\\none", "C:\\root\\dangling");
  const auto missing = [&](const char* path) -> std::string {
    const auto found = world.opener.missing_place(*WindowsPath::parse(path, "test"), "test");
    if (!found) return status_code_name(found.error().code());
    if (!*found) return "nothing";
    std::error_code error;
    std::string names = std::to_string((*found)->directory->list(error).size());
    for (const std::wstring& name : (*found)->names) names += "|" + narrow(name);
    return names;
  };
  CHECK(missing("C:\\root\\there\\x\\y") == "0|x|y");
  CHECK(missing("C:\\root\\link\\x") == "0|x");
  CHECK(missing("C:\\root\\there") == "nothing");
  CHECK(missing("C:\\root\\dangling\\x") == "nothing");
}

TEST_CASE("the deadline and the number of names end a walk") {
  Opened world;
  world.ntfs.put_file("C:\\root\\d\\file");
  const WindowsPath path = *WindowsPath::parse("C:\\root\\d\\file", "test");
  size_t asked = 0;
  const Deadline never{.cancelled = [&] { return ++asked > 100; }};
  CHECK(world.opener.open(path, FileAccess::kLook, "test", never));
  const Deadline over{.cancelled = [] { return true; }};
  const auto opened = world.opener.open(path, FileAccess::kLook, "test", over);
  REQUIRE_FALSE(opened);
  CHECK(opened.error().code() == StatusCode::kCancelled);
  // A link that goes up and down again.
  constexpr size_t kLinks = 200;
  const size_t names = RootedWalk::kMostSteps / kLinks + 2;
  std::string text;
  for (size_t i = 0; i < names / 2; ++i) text += "..\\d\\";
  for (size_t i = 0; i < kLinks; ++i) {
    const std::string next = i + 1 == kLinks ? "file" : std::to_string(i + 1);
    world.ntfs.put_symbolic_link(text + next, "C:\\root\\d\\" + std::to_string(i));
  }
  CHECK(world.follow("C:\\root\\d\\100") == "file");
  CHECK(world.follow("C:\\root\\d\\0") == "FAILED_PRECONDITION");
}

TEST_CASE("a directory that is replaced by a link on the way leads nowhere else") {
  Opened world;
  world.ntfs.put_file("C:\\root\\a\\dir\\file");
  const std::string swapped_at = GENERATE("open", "facts");
  CAPTURE(swapped_at);
  bool is_swapped = false;
  world.ntfs.before = [&](const std::string& call, const std::string& path) {
    if (call == swapped_at && path == "C:\\root\\a\\dir" && !std::exchange(is_swapped, true)) {
      world.ntfs.move("C:\\root\\a\\dir", "C:\\root\\a\\old");
      world.ntfs.put_symbolic_link("C:\\outside", "C:\\root\\a\\dir");
    }
    return std::error_code();
  };
  // What was opened before is what is looked in.
  CHECK(world.follow("C:\\root\\a\\dir\\file") ==
        (swapped_at == "open" ? "out: C:\\outside\\file" : "file"));
  CHECK(is_swapped);
  CHECK(world.follow("C:\\root\\a\\dir\\secret") == "out: C:\\outside\\secret");
}

TEST_CASE("a directory that was moved out is left by the way it was entered") {
  Opened world;
  world.ntfs.put_directory("C:\\root\\a\\b");
  world.ntfs.put_file("C:\\root\\a\\file");
  world.ntfs.put_symbolic_link("..\\file", "C:\\root\\a\\b\\link");
  world.ntfs.put_file("C:\\outside\\file");
  bool moved = false;
  world.ntfs.before = [&](const std::string& call, const std::string& path) {
    if (call == "read_reparse_data" && path == "C:\\root\\a\\b\\link" && !moved) {
      moved = true;
      world.ntfs.move("C:\\root\\a\\b", "C:\\outside\\b");
    }
    CHECK(path != "C:\\outside\\file");
    return std::error_code();
  };
  CHECK(world.follow("C:\\root\\a\\b\\link") == "file");
  CHECK(moved);
}

TEST_CASE("a root that is gone is named, and the next path sees it again") {
  Opened world;
  world.ntfs.remove("C:\\other");
  const auto opened =
      world.opener.open(*WindowsPath::parse("C:\\other\\x", "test"), FileAccess::kLook, "look for");
  REQUIRE_FALSE(opened);
  CHECK(opened.error().code() == StatusCode::kNotFound);
  CHECK_THAT(opened.error().message(),
             Catch::Contains("the allowed root \"C:\\other\" itself cannot be opened"));
  world.ntfs.put_file("C:\\other\\x");
  CHECK(world.follow("C:\\other\\x") == "file");
}

TEST_CASE("what is being removed is missing, and what is in use is told so") {
  Opened world;
  world.ntfs.put_file("C:\\root\\a");
  DWORD code = ERROR_SUCCESS;
  world.ntfs.before = [&](const std::string& call, const std::string&) {
    return call == "open" ? windows_error(code) : std::error_code();
  };
  const auto message = [&](DWORD error) {
    code = error;
    return world.opener
        .open(*WindowsPath::parse("C:\\root\\a", "test"), FileAccess::kLook, "look for")
        .error();
  };
  CHECK(message(ERROR_DELETE_PENDING).code() == StatusCode::kNotFound);
  CHECK(message(ERROR_SHARING_VIOLATION).code() == StatusCode::kFailedPrecondition);
  CHECK_THAT(message(ERROR_SHARING_VIOLATION).message(), Catch::Contains("a program has it open"));
  CHECK(message(ERROR_ACCESS_DENIED).code() == StatusCode::kPermissionDenied);
  CHECK(message(ERROR_NOT_SUPPORTED).code() == StatusCode::kUnimplemented);
  CHECK(message(ERROR_NO_SYSTEM_RESOURCES).code() == StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace longshore::support
