#include "support/linux/mount_bulkheads.h"

#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/silent_mount.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/tmpfs_mount.h"

namespace longshore::support {
namespace {

struct World {
  World() { std::filesystem::create_directory(directory / "point"); }

  std::string key() { return bulkheads.key_of(*PosixPath::parse(directory / "point/x", "test")); }

  const test::TemporaryDirectory directory;
  MountBulkheads bulkheads{*AllowedRoots::from({directory.path()})};
};

TEST_CASE("a mount is known as soon as it is there, and forgotten when it is gone") {
  World world;
  CHECK(world.key().empty());
  std::string first;
  {
    const test::TmpfsMount mounted(world.directory / "point");
    first = mounted.bulkhead();
    CHECK(world.key() == first);
    const test::TmpfsMount over_it(world.directory / "point");
    CHECK(world.key() == over_it.bulkhead());
    CHECK(world.key() != first);
  }
  CHECK(world.key().empty());
}

TEST_CASE("the list is read again only when it changed") {
  World world;
  const auto before = world.bulkheads.current();
  for (int i = 0; i < 3; ++i) CHECK(world.bulkheads.current() == before);
  // What changes in directories, and not what is mounted, is no change.
  std::filesystem::create_directory(world.directory / "other");
  CHECK(world.bulkheads.current() == before);
  const test::TmpfsMount mounted(world.directory / "point");
  const auto after = world.bulkheads.current();
  CHECK(after != before);
  CHECK(world.bulkheads.current() == after);
  // Who got it before still has it.
  CHECK(before->key_of(*PosixPath::parse(world.directory / "point", "test")).empty());
}

TEST_CASE("each of two that watch is told of every change") {
  World world;
  MountBulkheads other(*AllowedRoots::from({world.directory.path()}));
  const auto path = *PosixPath::parse(world.directory / "point", "test");
  const test::TmpfsMount mounted(world.directory / "point");
  CHECK(world.key() == mounted.bulkhead());
  CHECK(other.key_of(path) == mounted.bulkhead());
}

TEST_CASE("whoever asks after a change is told of it, on any thread") {
  World world;
  std::atomic<bool> is_over = false;
  std::vector<std::thread> others;
  for (int i = 0; i < 2; ++i) {
    others.emplace_back([&] {
      while (!is_over) world.key();
    });
  }
  for (int i = 0; i < 20; ++i) {
    std::optional<test::TmpfsMount> mounted(std::in_place, world.directory / "point");
    const std::string key = mounted->bulkhead();
    CHECK(world.key() == key);
    mounted.reset();
    CHECK(world.key().empty());
  }
  is_over = true;
  for (std::thread& other : others) other.join();
}

// A filesystem that answers at once and is none of those that are known to do so.
class OtherMount {
 public:
  explicit OtherMount(std::string point) : point_(std::move(point)) {
    REQUIRE(::mount("devpts", point_.c_str(), "devpts", 0, "newinstance") == 0);
    struct stat status {};
    REQUIRE(::stat(point_.c_str(), &status) == 0);
    key_ = "devpts " + std::to_string(major(status.st_dev)) + ":" +
           std::to_string(minor(status.st_dev));
  }
  OtherMount(const OtherMount&) = delete;
  OtherMount& operator=(const OtherMount&) = delete;
  ~OtherMount() { ::umount2(point_.c_str(), UMOUNT_NOFOLLOW | MNT_DETACH); }

  const std::string& key() const { return key_; }

 private:
  const std::string point_;
  std::string key_;
};

struct LinkedWorld : World {
  void link(const std::string& text, const std::string& name) const {
    std::filesystem::create_symlink(text, directory / name);
  }
  std::string key_of(const std::string& name, LastLink last = LastLink::kIsFollowed) {
    return bulkheads.key_of(*PosixPath::parse(directory / name, "test"), last);
  }
};

TEST_CASE("a path hangs on what links in it lead to") {
  LinkedWorld world;
  std::filesystem::create_directories(world.directory / "a/b");
  world.link(world.directory / "point", "absolute");
  world.link("point/below", "relative");
  world.link("../../point/./", "a/b/up");
  world.link("a/b", "aside");
  world.link("aside/../b/up", "over-many");
  world.link("/../../.." + (world.directory / "point/x/../../point"), "above-the-top");
  CHECK(world.key_of("absolute/x").empty());
  const OtherMount mounted(world.directory / "point");
  for (const std::string name :
       {"absolute", "relative", "a/b/up", "aside/up", "over-many", "above-the-top"}) {
    CAPTURE(name);
    CHECK(world.key_of(name) == mounted.key());
    CHECK(world.key_of(name + "/x/y") == mounted.key());
    CHECK(world.key_of(name, LastLink::kIsKept).empty());
    CHECK(world.key_of(name + "/x", LastLink::kIsKept) == mounted.key());
  }
  CHECK(world.key_of("point", LastLink::kIsKept) == mounted.key());
  CHECK(world.key_of("a/b/x").empty());
}

TEST_CASE("links that lead nowhere, in a circle or over too many more say nothing") {
  LinkedWorld world;
  const OtherMount mounted(world.directory / "point");
  std::ofstream(world.directory / "file");
  world.link("missing/../point", "nowhere");
  world.link("file/../point", "over-a-file");
  world.link("circle", "circle");
  world.link(std::string(300, 'n') + "/../point", "long-name");
  world.link("point", "1");
  for (int i = 2; i <= 41; ++i) world.link(std::to_string(i - 1), std::to_string(i));
  CHECK(world.key_of("circle/x").empty());
  CHECK(world.key_of("40/x") == mounted.key());
  CHECK(world.key_of("41/x").empty());
  // They name nothing, but by their letters what they would hang on.
  for (const std::string name : {"nowhere", "over-a-file", "long-name"}) {
    CHECK(world.key_of(name) == mounted.key());
  }
}

TEST_CASE("a link to what says nothing is known without asking that") {
  if (!test::SilentMount::is_possible()) {
    std::puts("SKIPPED: no /dev/fuse here");
    return;
  }
  LinkedWorld world;
  world.link(world.directory / "point/below", "link");
  world.link("link/deeper", "link-to-link");
  const test::SilentMount silent(world.directory / "point");
  const std::string key = world.key_of("point/x");
  CHECK(key.starts_with("fuse "));
  CHECK(world.key_of("link/x") == key);
  CHECK(world.key_of("link-to-link") == key);
}

TEST_CASE("what a root that is a link leads to has no key, as the root has none") {
  LinkedWorld world;
  std::filesystem::create_directory(world.directory / "kubelet");
  world.link(world.directory / "kubelet", "root");
  const OtherMount mounted(world.directory / "kubelet");
  const auto path = *PosixPath::parse(world.directory / "root/x", "test");
  CHECK(MountBulkheads(*AllowedRoots::from({world.directory / "root"})).key_of(path).empty());
  CHECK(world.bulkheads.key_of(path) == mounted.key());
}

}  // namespace
}  // namespace longshore::support
