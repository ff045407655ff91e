// What only the real filesystem has: mounts, permissions, races, lost roots.
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/fsuid.h>
#include <sys/ioctl.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <thread>
#include <vector>

#include "longshore/linux/file_descriptor.hpp"
#include "tests/support/bind_mount.h"
#include "tests/unit/filesystem/worlds.h"

namespace longshore::filesystem {
namespace {

namespace fs = std::filesystem;

TEST_CASE("IsSymlink is true for a mount point, be it a directory or a file") {
  RealWorld world;
  const auto service = world.service();
  world.put_directory(world.at("point"));
  world.put_file(world.at("file-point"));
  world.put_file(world.outside() + "/file");
  CHECK(*service.is_link_or_mount_point(world.at("point")) == false);
  CHECK(*service.is_link_or_mount_point(world.at("file-point")) == false);
  const test::BindMount directory(world.outside(), world.at("point"));
  const test::BindMount file(world.outside() + "/file", world.at("file-point"));
  CHECK(*service.is_link_or_mount_point(world.at("point")) == true);
  CHECK(*service.is_link_or_mount_point(world.at("file-point")) == true);
  CHECK(*service.is_link_or_mount_point(world.at("point/file")) == false);
  CHECK(*service.path_exists(world.at("point/file")) == true);
}

TEST_CASE("links to where shares are mounted are told, and nothing is reached through them") {
  RealWorld world;
  const auto service = world.service();
  const std::string share = world.link_root() + "/files/share";
  world.put_directory(share + "/1");
  world.put_file(share + "/1/file");
  world.put_link("1", share + "/current");
  int links = 0;
  const auto says = [&](const std::string& target) -> std::string {
    const std::string link = world.at("link" + std::to_string(++links));
    world.put_link(target, link);
    const Result<bool> answer = service.is_link_or_mount_point(link);
    if (!answer) return status_code_name(answer.error().code());
    return *answer ? "yes" : "no";
  };
  CHECK(says(share + "/current") == "yes");
  CHECK(says(share + "//current/file/") == "yes");
  // The server is not asked.
  CHECK(says(share + "/current/none") == "yes");
  CHECK(says(world.link_root() + "/files/none/current") == "no");
  CHECK(says(world.link_root() + "/none/share/current/below") == "no");
  // Others than the module's own links tell nothing.
  for (const char* below : {"", "/1", "/1/file", "/links", "/currently"}) {
    CAPTURE(below);
    CHECK(says(share + below) == "PERMISSION_DENIED");
  }
  CHECK(says(share + "/current/../1") == "PERMISSION_DENIED");
  CHECK(says(world.link_root() + "/current") == "PERMISSION_DENIED");
  CHECK(says(world.link_root()) == "PERMISSION_DENIED");
  CHECK(says(world.outside()) == "PERMISSION_DENIED");
  const auto code_of = [](const auto& result) {
    return result ? StatusCode::kOk : result.error().code();
  };
  world.put_link(share + "/current", world.at("volume"));
  CHECK(code_of(service.path_exists(world.at("volume/file"))) == StatusCode::kPermissionDenied);
  CHECK(code_of(service.path_exists(share)) == StatusCode::kPermissionDenied);
  CHECK(code_of(service.remove_contents(world.at("volume"), {})) == StatusCode::kPermissionDenied);
  CHECK(code_of(service.remove_directory(world.at("volume"), true, {})) == StatusCode::kOk);
  CHECK(world.inspect(share + "/1/file") == EntryKind::kFile);
}

TEST_CASE("a chain of links to where shares are mounted is followed to its end") {
  RealWorld world;
  const auto service = world.service();
  const std::string share = world.link_root() + "/files/share";
  world.put_directory(share + "/1");
  world.put_link("1", share + "/current");
  const auto says = [&](const std::string& name) -> std::string {
    const Result<bool> answer = service.is_link_or_mount_point(world.at(name));
    if (!answer) return status_code_name(answer.error().code());
    return *answer ? "yes" : "no";
  };
  world.put_directory(world.at("plugins"));
  world.put_directory(world.at("pods"));
  world.put_link(share + "/current", world.at("plugins/stage"));
  world.put_link(share + "/current/sub", world.at("plugins/stage-below"));
  world.put_link(share + "/1", world.at("plugins/beside"));
  world.put_link(world.link_root() + "/files/gone/current", world.at("plugins/unmapped"));
  world.put_link(world.at("plugins/stage"), world.at("pods/publish"));
  world.put_link("../plugins/stage", world.at("pods/relative"));
  world.put_link(world.at("pods/publish"), world.at("pods/three"));
  world.put_link(world.at("plugins/stage") + "/in/it", world.at("pods/into"));
  world.put_link(world.at("plugins/stage-below"), world.at("pods/to-below"));
  for (const char* name : {"publish", "relative", "three", "into", "to-below"}) {
    CAPTURE(name);
    CHECK(says("pods/" + std::string(name)) == "yes");
  }
  world.put_link(world.at("plugins/unmapped"), world.at("pods/to-unmapped"));
  CHECK(says("pods/to-unmapped") == "no");
  // No link of the chain makes more of the link root reachable than a single one does.
  world.put_link(world.at("plugins/beside"), world.at("pods/to-beside"));
  world.put_link(world.at("plugins/stage") + "/../1", world.at("pods/up"));
  world.put_link(world.outside(), world.at("plugins/out"));
  world.put_link(world.at("plugins/out"), world.at("pods/to-out"));
  for (const char* name : {"to-beside", "up", "to-out"}) {
    CAPTURE(name);
    CHECK(says("pods/" + std::string(name)) == "PERMISSION_DENIED");
  }
  // The share is unmapped: what led there leads nowhere now.
  fs::remove(share + "/current");
  CHECK(says("pods/three") == "no");
}

TEST_CASE("what is missing above a directory is made after one look at the way there") {
  RealWorld world;
  constexpr size_t kMissing = 100;
  world.put_directory(world.at("a"));
  world.put_link(world.at("a"), world.at("absolute"));  // which the kernel does not follow
  std::string path = world.at("absolute");
  for (size_t i = 0; i < kMissing; ++i) path += "/y";
  size_t asked = 0;
  const Deadline counted{.cancelled = [&] { return ++asked > 3 * kMissing; }};
  const auto made =
      world.backend().make_directories(*support::PosixPath::parse(path, "test"), counted);
  CHECK(made);
  CHECK(world.inspect(path) == EntryKind::kDirectory);
}

TEST_CASE("directories are made until the deadline") {
  RealWorld world;
  const Deadline deadline{.cancelled = [&] { return fs::exists(world.at("1/2")); }};
  const auto path = support::PosixPath::parse(world.at("1/2/3"), "test");
  const auto made = world.backend().make_directories(*path, deadline);
  REQUIRE_FALSE(made);
  CHECK(made.error().code() == StatusCode::kCancelled);
  CHECK(world.inspect(world.at("1/2")) == EntryKind::kDirectory);
  CHECK(world.inspect(world.at("1/2/3")) == EntryKind::kAbsent);
}

TEST_CASE("a mount point is not removed, and neither is anything behind it") {
  RealWorld world;
  const auto service = world.service();
  world.put_directory(world.at("top/point"));
  world.put_file(world.at("top/file"));
  world.put_file(world.outside() + "/data");
  const test::BindMount mount(world.outside(), world.at("top/point"));
  for (const bool force : {false, true}) {
    const Result<void> removed = service.remove_directory(world.at("top/point"), force, {});
    REQUIRE_FALSE(removed);
    CHECK(removed.error().code() == StatusCode::kFailedPrecondition);
    CHECK(removed.error().message() ==
          "cannot remove \"" + world.at("top/point") + "\": it is a mount point; unmount it first");
  }
  const Result<void> above = service.remove_directory(world.at("top"), true, {});
  REQUIRE_FALSE(above);
  CHECK(above.error().code() == StatusCode::kFailedPrecondition);
  CHECK_THAT(above.error().message(),
             Catch::Contains("\"" + world.at("top/point") + "\" is a mount point"));
  CHECK(world.inspect(world.at("top/file")) == EntryKind::kFile);
  CHECK(world.inspect(world.outside() + "/data") == EntryKind::kFile);
}

TEST_CASE("a mounted volume is emptied by RmdirContents") {
  RealWorld world;
  const auto service = world.service();
  world.put_directory(world.at("point"));
  world.put_directory(world.outside() + "/a/b");
  const test::BindMount mount(world.outside(), world.at("point"));
  CHECK(service.remove_contents(world.at("point"), {}));
  CHECK(fs::is_empty(world.outside()));
  CHECK(*service.is_link_or_mount_point(world.at("point")) == true);
}

TEST_CASE("a directory that is not empty is told how to go") {
  RealWorld world;
  world.put_directory(world.at("full/inner"));
  CHECK(world.service().remove_directory(world.at("full"), false, {}).error().message() ==
        "cannot remove \"" + world.at("full") +
            "\": Directory not empty; set force to remove a directory with all it holds");
}

// Runs as somebody who owns nothing here. Linux keeps the filesystem's user per thread.
template <typename Function>
void as_nobody(Function function) {
  std::thread thread([&] {
    ::setfsgid(65534);
    ::setfsuid(65534);
    function();
  });
  thread.join();
}

TEST_CASE("what the system forbids is PERMISSION_DENIED and nothing changes") {
  if (::geteuid() != 0) {
    std::puts("SKIPPED: only root can become somebody else");
    return;
  }
  RealWorld world;
  const auto service = world.service();
  fs::permissions(fs::path(world.root()).parent_path(), fs::perms::others_exec,
                  fs::perm_options::add);
  world.put_directory(world.at("mine/inner"));
  world.put_directory(world.at("closed/inner"));
  fs::permissions(world.at("closed"), fs::perms::owner_all);
  std::vector<StatusCode> codes;
  as_nobody([&] {
    const auto keep = [&](const auto& result) {
      codes.push_back(result ? StatusCode::kOk : result.error().code());
    };
    keep(service.make_directory(world.at("new")));
    keep(service.remove_directory(world.at("mine/inner"), false, {}));
    keep(service.remove_directory(world.at("mine"), true, {}));
    keep(service.remove_contents(world.at("mine"), {}));
    keep(service.create_link(world.at("mine"), world.at("link"), SameLink::kIsError));
    keep(service.path_exists(world.at("closed/inner")));
    keep(service.is_link_or_mount_point(world.at("closed/inner")));
  });
  CHECK(codes == std::vector<StatusCode>(7, StatusCode::kPermissionDenied));
  CHECK(world.inspect(world.at("mine/inner")) == EntryKind::kDirectory);
  CHECK(world.inspect(world.at("new")) == EntryKind::kAbsent);
}

// Sets or clears what even root may not change; false where the filesystem knows no such thing.
bool set_immutable(const std::string& path, bool on) {
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  int flags = 0;
  if (::ioctl(file.get(), FS_IOC_GETFLAGS, &flags) != 0) return false;
  flags = on ? flags | FS_IMMUTABLE_FL : flags & ~FS_IMMUTABLE_FL;
  return ::ioctl(file.get(), FS_IOC_SETFLAGS, &flags) == 0;
}

TEST_CASE("a file in the tree that cannot be removed is named") {
  RealWorld world;
  world.put_directory(world.at("top/a/b"));
  world.put_file(world.at("top/a/b/fixed"));
  if (!set_immutable(world.at("top/a/b/fixed"), true)) {
    std::puts("SKIPPED: the filesystem of the temporary directory has no immutable files");
    return;
  }
  const Result<void> removed = world.service().remove_directory(world.at("top"), true, {});
  set_immutable(world.at("top/a/b/fixed"), false);
  REQUIRE_FALSE(removed);
  CHECK(removed.error().code() == StatusCode::kPermissionDenied);
  CHECK(removed.error().message() ==
        "cannot remove \"" + world.at("top/a/b/fixed") + "\": Operation not permitted");
  CHECK(world.service().remove_directory(world.at("top"), true, {}));
}

TEST_CASE("a root that is gone is absent for questions and named for changes") {
  RealWorld world;
  const auto service = world.service();
  fs::remove_all(world.root());
  CHECK(*service.path_exists(world.at("x")) == false);
  const Result<void> made = service.make_directory(world.at("x"));
  REQUIRE_FALSE(made);
  CHECK(made.error().code() == StatusCode::kNotFound);
  CHECK_THAT(made.error().message(), Catch::Contains("itself cannot be opened"));
  fs::create_directories(world.root());
  CHECK(service.make_directory(world.at("x")));
}

TEST_CASE("a path as long as the system allows is made and removed") {
  RealWorld world;
  const auto service = world.service();
  std::string path = world.root();
  while (path.size() < 4095) path += "/d";
  path.resize(path.size() == 4095 && path.back() != '/' ? 4095 : 4094);
  REQUIRE(service.make_directory(path));
  CHECK(*service.path_exists(path) == true);
  CHECK(service.remove_directory(path, false, {}));
  CHECK(service.remove_contents(world.root(), {}));
  CHECK(fs::is_empty(world.root()));
}

TEST_CASE("directories made by many at once are all there") {
  RealWorld world;
  const auto service = world.service();
  std::atomic<int> made = 0;
  std::vector<std::thread> makers;
  for (int maker = 0; maker < 4; ++maker) {
    makers.emplace_back([&] {
      for (int count = 0; count < 200; ++count) {
        made += service.make_directory(world.at("a/b/" + std::to_string(count) + "/c/d")).ok();
      }
    });
  }
  for (std::thread& maker : makers) maker.join();
  CHECK(made == 800);
}

TEST_CASE("of many that make one link exactly one succeeds, and all where that is allowed") {
  RealWorld world;
  const auto service = world.service();
  const SameLink same_link = GENERATE(SameLink::kIsError, SameLink::kIsSuccess);
  std::atomic<int> made = 0;
  std::vector<std::thread> makers;
  for (int maker = 0; maker < 8; ++maker) {
    makers.emplace_back(
        [&] { made += service.create_link(world.at("source"), world.at("link"), same_link).ok(); });
  }
  for (std::thread& maker : makers) maker.join();
  CHECK(made == (same_link == SameLink::kIsSuccess ? 8 : 1));
}

TEST_CASE("a path whose directory is replaced by a link leads nowhere else") {
  RealWorld world;
  const auto service = world.service();
  world.put_directory(world.at("a/dir/x"));
  world.put_directory(world.outside() + "/x/kept");
  world.put_link(world.outside(), world.at("a/link"));
  std::atomic<bool> over = false;
  std::thread racer([&] {
    const std::string directory = world.at("a/dir");
    const std::string link = world.at("a/link");
    while (!over) ::renameat2(AT_FDCWD, directory.c_str(), AT_FDCWD, link.c_str(), RENAME_EXCHANGE);
  });
  for (int round = 0; round < 2000; ++round) {
    static_cast<void>(service.remove_directory(world.at("a/dir/x"), true, {}));
    static_cast<void>(service.make_directory(world.at("a/dir/x/made")));
    static_cast<void>(service.remove_contents(world.at("a/dir"), {}));
    static_cast<void>(
        service.create_link(world.at("a"), world.at("a/dir/new"), SameLink::kIsError));
  }
  over = true;
  racer.join();
  CHECK(fs::exists(world.outside() + "/x/kept"));
  CHECK_FALSE(fs::exists(world.outside() + "/x/made"));
  CHECK(world.inspect(world.outside() + "/new") == EntryKind::kAbsent);
}

}  // namespace
}  // namespace longshore::filesystem
