// Links, junctions and mounted volumes as the filesystem group means them on Windows, above a
// filesystem in memory.
#include <catch2/catch.hpp>
#include <utility>

#include "longshore/windows/wide_text.hpp"
#include "support/windows/file_error.h"
#include "tests/support/outcome.h"
#include "tests/support/windows/reparse_bytes.h"
#include "tests/unit/filesystem/worlds.h"

namespace longshore::filesystem {
namespace {

using support::windows_error;
using test::NtfsFake;
using test::outcome;

constexpr const char* kShare = "\\\\files\\share\\";

std::string told(const Result<bool>& result) {
  return result ? (*result ? "true" : "false") : status_code_name(result.error().code());
}

TEST_CASE("IsSymlink tells mounted volumes, junctions and links, and none that leads nowhere") {
  NtfsWorld world;
  const auto service = world.service();
  NtfsFake& ntfs = world.ntfs();
  const auto is_link = [&](const char* name) {
    return told(service.is_link_or_mount_point(world.at(name)));
  };
  world.put_directory(world.at("a"));
  ntfs.mount(1, world.at("stage"));
  ntfs.put_directory(NtfsFake::volume_name(1) + "data");
  ntfs.put_junction(world.at("a"), world.at("junction"));
  ntfs.put_junction(world.at("none"), world.at("dangling-junction"));
  world.put_link(world.at("stage"), world.at("publish"));
  world.put_link(world.at("stage/data"), world.at("sub"));
  world.put_link(world.at("stage/none"), world.at("dangling-sub"));
  for (const char* name : {"stage", "junction", "publish", "sub"}) {
    CAPTURE(name);
    CHECK(is_link(name) == "true");
  }
  for (const char* name : {"a", "dangling-junction", "dangling-sub", "stage/data"}) {
    CAPTURE(name);
    CHECK(is_link(name) == "false");
  }
  // The disk of the volume is gone: it is mounted yet, and what leads to it leads nowhere.
  ntfs.lose_volume(1);
  CHECK(is_link("stage") == "true");
  CHECK(is_link("publish") == "false");
}

TEST_CASE("reparse points that are no links are what they would be without") {
  NtfsWorld world;
  const auto service = world.service();
  const auto [tag, expected] = GENERATE(table<uint32_t, std::string>({
      {0x9000001Au, "false"},                // of a program that keeps files elsewhere
      {0xA000001Du, "FAILED_PRECONDITION"},  // a link of another system's
      {test::kSymbolicLinkTag, "false"},     // damaged
  }));
  std::vector<std::byte> data;
  test::append_number(data, tag, 4);
  test::append_number(data, 0, 4);
  world.ntfs().put_reparse_point(data, world.at("point"));
  CHECK(told(service.is_link_or_mount_point(world.at("point"))) == expected);
  CHECK(told(service.path_exists(world.at("point"))) == "true");
  CHECK(outcome(service.remove_directory(world.at("point"), false, {})) == "OK");
}

TEST_CASE("of a link to a share the server is asked, over any number of links") {
  NtfsWorld world;
  const auto service = world.service();
  const auto is_link = [&](const char* name) {
    return told(service.is_link_or_mount_point(world.at(name)));
  };
  world.put_directory(world.at("a"));
  world.put_link(kShare, world.at("stage"));
  world.put_link(world.at("stage"), world.at("publish"));
  world.put_link(std::string(kShare) + "sub", world.at("sub"));
  CHECK(is_link("stage") == "false");
  world.ntfs().put_share(kShare);
  CHECK(is_link("stage") == "true");
  CHECK(is_link("publish") == "true");
  CHECK(is_link("sub") == "false");
  world.ntfs().put_share(std::string(kShare) + "sub");
  CHECK(is_link("sub") == "true");
  // Nothing is reached through it.
  CHECK(told(service.path_exists(world.at("stage/file"))) == "PERMISSION_DENIED");
  CHECK(outcome(service.remove_contents(world.at("publish"), {})) == "PERMISSION_DENIED");
  CHECK(outcome(service.make_directory(world.at("stage/x"))) == "PERMISSION_DENIED");
  // The server's failure is told: it is not known whether the share is there.
  world.ntfs().before = [](const std::string& call, const std::string&) {
    return call == "exists" ? windows_error(ERROR_LOGON_FAILURE) : std::error_code();
  };
  const auto failed = service.is_link_or_mount_point(world.at("stage"));
  REQUIRE_FALSE(failed);
  CHECK_THAT(failed.error().message(),
             Catch::StartsWith("cannot follow the link \"" + world.at("stage") + "\": "));
}

TEST_CASE("only of shares is anybody asked outside of the roots") {
  NtfsWorld world;
  const auto service = world.service();
  const std::string target = GENERATE("C:\\outside", "\\\\?\\GLOBALROOT\\Device\\Mup\\x",
                                      "\\\\?\\UNCertain\\x", "\\\\.\\pipe\\x", "D:\\x");
  CAPTURE(target);
  world.put_link(target, world.at("link"));
  bool was_asked = false;
  world.ntfs().before = [&](const std::string& call, const std::string&) {
    was_asked |= call == "exists";
    return std::error_code();
  };
  CHECK(told(service.is_link_or_mount_point(world.at("link"))) == "PERMISSION_DENIED");
  CHECK_FALSE(was_asked);
}

TEST_CASE("Rmdir of a mounted volume takes the mount point away and leaves the volume") {
  NtfsWorld world;
  const auto service = world.service();
  const bool force = GENERATE(false, true);
  const bool is_on_a_directory_above = GENERATE(false, true);
  world.ntfs().mount(1, world.at("top/stage"));
  world.ntfs().put_file(NtfsFake::volume_name(1) + "data");
  if (is_on_a_directory_above && force) {
    CHECK(outcome(service.remove_directory(world.at("top"), true, {})) == "OK");
  } else {
    CHECK(outcome(service.remove_directory(world.at("top/stage"), force, {})) == "OK");
  }
  CHECK(world.inspect(world.at("top/stage")) == EntryKind::kAbsent);
  CHECK(world.ntfs().inspect(NtfsFake::volume_name(1) + "data"));
  std::error_code error;
  CHECK(world.ntfs().paths_of_volume(wide(NtfsFake::volume_name(1)), error).empty());
}

TEST_CASE("a planted mount point of the system's volume goes without harm") {
  NtfsWorld world;
  const auto service = world.service();
  world.ntfs().put_mount_point(NtfsFake::volume_name(0), world.at("planted"));
  CHECK(told(service.path_exists(world.at("planted/outside"))) == "PERMISSION_DENIED");
  CHECK(outcome(service.remove_contents(world.at("planted"), {})) == "PERMISSION_DENIED");
  CHECK(outcome(service.remove_directory(world.at("planted/outside"), true, {})) ==
        "PERMISSION_DENIED");
  CHECK(outcome(service.remove_directory(world.at("planted"), true, {})) == "OK");
  CHECK(world.inspect(world.outside()) == EntryKind::kDirectory);
  std::error_code error;
  CHECK(world.ntfs().paths_of_volume(wide(NtfsFake::volume_name(0)), error) ==
        std::vector<std::wstring>{L"C:\\"});
}

TEST_CASE("what a volume holds is reached, emptied and kept by way of its mount point") {
  NtfsWorld world;
  const auto service = world.service();
  world.ntfs().mount(1, world.at("stage"));
  const std::string volume = NtfsFake::volume_name(1);
  CHECK(outcome(service.make_directory(world.at("stage/a/b"))) == "OK");
  CHECK(world.ntfs().inspect(volume + "a\\b"));
  CHECK(told(service.path_exists(world.at("stage/a"))) == "true");
  CHECK(outcome(service.remove_contents(world.at("stage"), {})) == "OK");
  CHECK_FALSE(world.ntfs().inspect(volume + "a"));
  CHECK(world.inspect(world.at("stage")) == EntryKind::kMountPoint);
  CHECK(outcome(service.make_directory(world.at("stage"))) == "OK");
}

TEST_CASE("whether a path is a mounted volume is told by what the reparse point says") {
  NtfsWorld world;
  world.ntfs().mount(1, world.at("stage"));
  world.ntfs().put_junction(world.at("stage"), world.at("junction"));
  world.put_link(NtfsFake::volume_name(1), world.at("link"));
  world.put_directory(world.at("a"));
  const auto may_be_volume = [&](const char* name) {
    return told(world.backend().may_be_volume(*support::Path::parse(world.at(name), "test"), {}));
  };
  CHECK(may_be_volume("stage") == "true");
  for (const char* name : {"junction", "link", "a", "none"}) CHECK(may_be_volume(name) == "false");
}

TEST_CASE("a link is of the kind that its source is when it is made") {
  NtfsWorld world;
  const auto service = world.service();
  world.put_directory(world.at("directory"));
  world.put_file(world.at("file"));
  world.ntfs().mount(1, world.at("stage"));
  world.put_link(kShare, world.at("share"));
  for (const auto& [source, is_directory] : {std::pair{"directory", true},
                                             {"stage", true},
                                             {"share", true},
                                             {"file", false},
                                             {"none", false}}) {
    CAPTURE(source);
    const std::string link = world.at("to-" + std::string(source));
    REQUIRE(outcome(service.create_link(world.at(source), link, SameLink::kIsError)) == "OK");
    const auto found = world.ntfs().inspect(link);
    CHECK(found->is_directory == is_directory);
    CHECK(found->point->kind == support::ReparseKind::kSymbolicLink);
    CHECK_FALSE(found->point->is_relative);
    CHECK(found->point->target == wide(world.at(source)));
  }
}

TEST_CASE("a link whose path Windows keeps in no link is refused") {
  NtfsWorld world;
  std::string source = world.root();
  while (source.size() < 4'200) source += "\\" + std::string(200, 's');
  CHECK(outcome(world.service().create_link(source, world.at("link"), SameLink::kIsError)) != "OK");
  CHECK(world.inspect(world.at("link")) == EntryKind::kAbsent);
}

TEST_CASE("of two that make one link on Windows one succeeds, and both where that is allowed") {
  NtfsWorld world;
  const auto service = world.service();
  const SameLink same_link = GENERATE(SameLink::kIsError, SameLink::kIsSuccess);
  bool is_made = false;
  world.ntfs().before = [&](const std::string& call, const std::string&) {
    if (call == "make_link" && !std::exchange(is_made, true)) {
      CHECK(service.create_link(world.at("source"), world.at("link"), same_link));
    }
    return std::error_code();
  };
  CHECK(outcome(service.create_link(world.at("source"), world.at("link"), same_link)) ==
        (same_link == SameLink::kIsSuccess ? "OK" : "ALREADY_EXISTS"));
}

TEST_CASE("a directory that others make or remove meanwhile is made all the same") {
  NtfsWorld world;
  const auto service = world.service();
  int times = 0;
  SECTION("made") {
    world.ntfs().before = [&](const std::string& call, const std::string& path) {
      if (call == "make_directory" && times++ == 0) world.ntfs().put_directory(path);
      return std::error_code();
    };
    CHECK(outcome(service.make_directory(world.at("a/b"))) == "OK");
  }
  SECTION("removed") {
    world.put_directory(world.at("a"));
    world.ntfs().before = [&](const std::string& call, const std::string&) {
      if (call == "make_directory" && times++ == 0) world.ntfs().remove(world.at("a"));
      return std::error_code();
    };
    CHECK(outcome(service.make_directory(world.at("a/b"))) == "OK");
  }
  SECTION("a link that leads out is put there") {
    world.ntfs().before = [&](const std::string& call, const std::string& path) {
      if (call == "make_directory" && times++ == 0) world.put_link(world.outside(), path);
      return std::error_code();
    };
    CHECK(outcome(service.make_directory(world.at("a/b"))) == "PERMISSION_DENIED");
    CHECK(world.ntfs().inspect(world.outside() + "\\b") == std::nullopt);
    return;
  }
  CHECK(world.inspect(world.at("a/b")) == EntryKind::kDirectory);
}

TEST_CASE("what is replaced by a link between looking and removing is not followed") {
  NtfsWorld world;
  const auto service = world.service();
  world.put_file(world.outside() + "\\kept");
  world.put_file(world.at("a/dir/x"));
  const std::string swapped_at = GENERATE("open", "facts", "list", "remove");
  const bool force = GENERATE(false, true);
  CAPTURE(swapped_at, force);
  bool is_swapped = false;
  world.ntfs().before = [&](const std::string& call, const std::string& path) {
    if (call == swapped_at && path == world.at("a/dir") && !std::exchange(is_swapped, true)) {
      world.ntfs().move(world.at("a/dir"), world.at("a/old"));
      world.put_link(world.outside(), world.at("a/dir"));
    }
    return std::error_code();
  };
  static_cast<void>(service.remove_directory(world.at("a/dir"), force, {}));
  static_cast<void>(service.remove_contents(world.at("a/dir"), {}));
  static_cast<void>(service.make_directory(world.at("a/dir/made")));
  static_cast<void>(service.create_link(world.at("a"), world.at("a/dir/new"), SameLink::kIsError));
  CHECK(world.inspect(world.outside() + "\\kept") == EntryKind::kFile);
  CHECK(world.inspect(world.outside() + "\\made") == EntryKind::kAbsent);
  CHECK(world.inspect(world.outside() + "\\new") == EntryKind::kAbsent);
  CHECK(world.ntfs().opened() == 0);
}

}  // namespace
}  // namespace longshore::filesystem
