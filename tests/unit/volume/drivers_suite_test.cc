// What drivers make of the answers of the volume group: modules/README.md lists it all. The same on
// disks made of files and on the fake.
#include <catch2/catch.hpp>
#include <cstdio>

#include "tests/support/node_path.h"
#include "tests/unit/volume/suite_calls.h"

namespace longshore::volume {
namespace {

using Catch::Contains;

// AWS EBS, pkg/mounter/mount_windows.go: `handleGetDeviceNameFromMountError` looks for them in what
// GetVolumeIDFromTargetPath and GetDiskNumberFromVolumeID answer. Found: nothing is mounted, so the
// volume is staged, or taken for unstaged and its disk detached. Not found: the call of kubelet
// fails, and is made again.
constexpr const char* kEbsWords = "because it does not exist";

template <typename World>
struct Tree {
  explicit Tree(World& world) {
    world.put_directory(world.at("target/inner"));
    world.put_directory(world.at("plain"));
    world.put_file(world.at("file"));
    world.put_link("plain", world.at("to-plain"));
    world.put_link("file", world.at("to-file"));
    world.put_link("nothing", world.at("dangling"));
    world.put_link(world.at("dangling"), world.at("to-dangling"));
    world.put_link("nothing/deeper", world.at("dangling-deeper"));
    world.put_link("loop", world.at("loop"));
    world.put_link(world.outside(), world.at("out"));
    world.put_directory(world.at("foreign"));
    world.put_foreign_mount(world.at("foreign"));
  }
};

template <typename World>
Error error_at(Calls<World>& calls, const std::string& path) {
  const Result<std::string> id = calls.service.id_of_mount_point(path);
  CAPTURE(path);
  REQUIRE_FALSE(id);
  return id.error();
}

TEMPLATE_LIST_TEST_CASE("AWS EBS is told that nothing is mounted where that is certain", "",
                        Worlds) {
  TestType world;
  Calls<TestType> calls{world};
  const std::string id = calls.mounted(world.at("target"));
  const Tree tree(world);
  for (const char* name : {"plain", "plain/", "to-plain", "target/inner"}) {
    const Error error = error_at(calls, world.at(name));
    CHECK_THAT(error.message(), Contains(kEbsWords) && Contains("not a mounted folder"));
    CHECK(error.code() == StatusCode::kFailedPrecondition);
  }
  for (const char* name : {"missing", "missing/deeper", "to-plain/missing", "target/missing"}) {
    const Error error = error_at(calls, world.at(name));
    CHECK_THAT(error.message(), Contains(kEbsWords));
    CHECK(error.code() == StatusCode::kNotFound);
  }
  REQUIRE(calls.unmount(id, world.at("target")) == "OK");
  CHECK_THAT(error_at(calls, world.at("target")).message(), Contains(kEbsWords));
}

TEMPLATE_LIST_TEST_CASE("AWS EBS is never told so in another error of the two methods", "",
                        Worlds) {
  TestType world(Setup{.disks = 2});
  Calls<TestType> calls{world};
  const std::string id = calls.mounted(world.at("target"), 1);
  const Tree tree(world);
  const std::vector<std::pair<std::string, std::string>> others = {
      {world.at("dangling"), "NOT_FOUND"},
      {world.at("to-dangling"), "NOT_FOUND"},
      {world.at("dangling-deeper"), "NOT_FOUND"},
      {world.at("dangling/deeper"), "NOT_FOUND"},
      {world.at("file"), "FAILED_PRECONDITION"},
      {world.at("to-file"), "FAILED_PRECONDITION"},
      {world.at("file/deeper"), "FAILED_PRECONDITION"},
      {world.at("loop"), "FAILED_PRECONDITION"},
      {world.at("foreign"), "FAILED_PRECONDITION"},
      {world.at("out"), "PERMISSION_DENIED"},
      {world.at("out/missing"), "PERMISSION_DENIED"},
      {world.outside(), "PERMISSION_DENIED"},
      {test::node_path("/"), "PERMISSION_DENIED"},
      {"", "INVALID_ARGUMENT"},
      {"plain", "INVALID_ARGUMENT"},
      {test::foreign_path(), "INVALID_ARGUMENT"},
      {world.at("plain/../missing"), "INVALID_ARGUMENT"},
      {world.at(std::string("pla\0in", 6)), "INVALID_ARGUMENT"},
      {world.at(std::string(256, 'x')), "INVALID_ARGUMENT"},
      {world.at(std::string(40'000, '/') + "x"), "INVALID_ARGUMENT"},
  };
  for (const auto& [path, code] : others) {
    const Error error = error_at(calls, path);
    CAPTURE(error.message());
    CHECK_THAT(error.message(), !Contains(kEbsWords));
    CHECK(status_code_name(error.code()) == code);
  }
  world.unplug();
  const Ids unknown = {"",
                       "-1",
                       "2",
                       "PARTUUID=1",
                       kEbsWords,
                       std::string(129, 'x'),
                       "\\\\?\\Volume{00000000-0000-0000-0000-000000000000}\\"};
  for (const std::string& each : unknown) {
    const auto disk = calls.service.disk_number_of(each);
    REQUIRE_FALSE(disk);
    CHECK_THAT(disk.error().message(), !Contains(kEbsWords));
  }
  CHECK(outcome(calls.service.disk_number_of(id)) == "OK");
}

TEMPLATE_LIST_TEST_CASE("a link that leads nowhere is told apart from no link", "", Worlds) {
  TestType world;
  Calls<TestType> calls{world};
  const Tree tree(world);
  const auto told = [&](const char* name) {
    return error_at(calls, world.at(name)).message() +
           calls.service.closest_id(world.at(name)).error().message();
  };
  CHECK_THAT(told("dangling"), Contains("link"));
  CHECK_THAT(told("dangling/deeper"), Contains("link"));
  CHECK_THAT(error_at(calls, world.at("missing")).message(), !Contains("link"));
}

// azuredisk, AWS EBS and vSphere take the first id and end with a panic if there is none; GCP PD
// fails.
TEMPLATE_LIST_TEST_CASE(
    "after PartitionDisk there is a volume, or an error, and never an empty list", "", Worlds) {
  TestType world;
  Calls<TestType> calls{world};
  REQUIRE(outcome(world.partition()) == "OK");
  const Result<Ids> ids = calls.service.list(world.number(), 0);
  REQUIRE(ids);
  CHECK(ids->size() == 1);
  world.unplug();
  CHECK(outcome(calls.service.list(world.number(), 0)) == "NOT_FOUND");
  CHECK(outcome(calls.service.list(0, 0)) == "NOT_FOUND");
}

TEMPLATE_LIST_TEST_CASE("a disk that is not partitioned has no volume, and that is no error", "",
                        Worlds) {
  TestType world;
  const Result<Ids> ids = world.service().list(world.number(), 0);
  REQUIRE(ids);
  CHECK(ids->empty());
}

// GCP PD calls ResizeVolume with size 0 at the end of each NodeStage, which fails with it.
// azuredisk does too, and gives the number of the disk where the id of the volume belongs.
TEMPLATE_LIST_TEST_CASE("right after it was mounted a volume has nothing to grow, which is success",
                        "", Worlds) {
  TestType world;
  Calls<TestType> calls{world};
  const std::string id = calls.mounted(world.at("target"));
  const uint64_t before = calls.service.stats(id)->total;
  CHECK(calls.resize(id, 0) == "OK");
  CHECK(calls.resize(std::to_string(world.number()), 0) == "OK");
  CHECK(calls.service.stats(id)->total == before);
}

#if !defined(_WIN32)
// azuredisk's NodeExpand compares the total, rounded up to GiB, with the size of the disk. statvfs
// leaves out what ext4 keeps for itself.
TEMPLATE_LIST_TEST_CASE("the total of an ext4 is its device's size, mounted or not", "", Worlds) {
  TestType world;
  Calls<TestType> calls{world};
  const std::string id = calls.volume();
  const auto total = [&] { return calls.service.stats(id)->total; };
  const uint64_t size = total();
  REQUIRE(calls.format(id) == "OK");
  CHECK(total() == size);
  world.put_directory(world.at("target"));
  REQUIRE(calls.mount(id, world.at("target")) == "OK");
  CHECK(total() == size);
}
#endif

TEMPLATE_LIST_TEST_CASE("a disk's number names its only volume, in ResizeVolume alone", "",
                        Worlds) {
  const std::string filesystem = TestType::growing_filesystem();
  if (filesystem.empty()) {
    std::puts("SKIPPED: ext4 grows only with CAP_SYS_RESOURCE, and there is no mkfs.xfs");
    return;
  }
  TestType world(Setup{.bytes = 400 * kMebibyte, .filesystem = filesystem});
  Calls<TestType> calls{world};
  const std::string id = calls.formatted();
  const std::string number = std::to_string(world.number());
  world.grow(800 * kMebibyte);
  const uint64_t before = calls.service.stats(id)->total;
  for (const std::string& other : {"0" + number, "+" + number, "-" + number, number + "@1",
                                   number + "-", "4294967296" + number}) {
    CAPTURE(other);
    CHECK(calls.resize(other, 0) == "NOT_FOUND");
  }
  CHECK(calls.resize(number, -1) == "INVALID_ARGUMENT");
  CHECK(calls.service.stats(id)->total == before);
  CHECK(calls.resize(number, 0) == "OK");
  CHECK(calls.service.stats(id)->total > before);

  world.put_directory(world.at("target"));
  CHECK(outcome(calls.service.stats(number)) == "NOT_FOUND");
  CHECK(outcome(calls.service.is_formatted(number)) == "NOT_FOUND");
  CHECK(outcome(calls.service.disk_number_of(number)) == "NOT_FOUND");
  CHECK(outcome(calls.service.flush(number)) == "NOT_FOUND");
  CHECK(calls.format(number) == "NOT_FOUND");
  CHECK(calls.mount(number, world.at("target")) == "NOT_FOUND");
}

TEMPLATE_LIST_TEST_CASE("the number of a disk without a volume, or of no disk, grows nothing", "",
                        Worlds) {
  TestType world;
  Calls<TestType> calls{world};
  CHECK(calls.resize(std::to_string(world.number()), 0) == "NOT_FOUND");
  CHECK(calls.resize("4000000000", 0) == "NOT_FOUND");
  world.unplug();
  CHECK(calls.resize(std::to_string(world.number()), 0) == "NOT_FOUND");
}

TEMPLATE_LIST_TEST_CASE("what is unmounted of a disk that is there is warned of by nobody", "",
                        Worlds) {
  TestType world;
  Calls<TestType> calls{world};
  std::vector<std::string> warnings;
  const support::WarningLog log([&](std::string_view text) { warnings.emplace_back(text); });
  const std::string id = calls.mounted(world.at("target"));
  CHECK(outcome(calls.service.flush("PARTUUID=1", log)) == "NOT_FOUND");
  CHECK(outcome(calls.service.unmount("PARTUUID=1", world.at("target"), {}, "test", log)) ==
        "FAILED_PRECONDITION");
  CHECK(outcome(calls.service.unmount(id, world.at("target"), {}, "test", log)) == "OK");
  CHECK(warnings.empty());
}

}  // namespace
}  // namespace longshore::volume
