#include "support/linux/mount_bulkheads.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <filesystem>
#include <optional>
#include <thread>
#include <vector>

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

}  // namespace
}  // namespace longshore::support
