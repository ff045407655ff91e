// What the volume group promises, the same on disks made of files, on those of a Windows that is
// made up, and on the fake.
#include <catch2/catch.hpp>
#include <cstdio>

#include "tests/support/node_path.h"
#include "tests/unit/volume/suite_calls.h"

namespace longshore::volume {
namespace {

// Whether it is a little less than expected at most: filesystems keep some for themselves.
bool is_around(uint64_t actual, uint64_t expected) {
  return actual <= expected && actual >= expected / 5 * 4;
}

TEMPLATE_LIST_TEST_CASE("a partitioned disk has one volume, also when partitioned again", "",
                        Worlds) {
  TestType world(Setup{.disks = 2});
  Calls<TestType> calls{world};
  const Ids ids{calls.volume()};
  CHECK(*calls.service.list(world.number(), TestType::kPartitionNumber) == ids);
  CHECK(calls.service.list(world.number(), TestType::kPartitionNumber + 1)->empty());
  CHECK(outcome(world.partition()) == "OK");
  CHECK(*calls.service.list(world.number(), 0) == ids);
  CHECK(calls.volume(1) != ids.front());
  CHECK(*calls.service.list(world.number(), 0) == ids);
  CHECK(outcome(calls.service.list(4'000'000'000, 0)) == "NOT_FOUND");
}

TEMPLATE_LIST_TEST_CASE("the life of a volume as csi-proxy's tests have it", "", Worlds) {
  TestType world;
  Calls<TestType> calls{world};
  const std::string id = calls.volume();
  const std::string target = world.at("plugins/testplugin.csi.io/mount");
  CHECK(answer(calls.service.is_formatted(id)) == "false");
  CHECK(is_around(calls.service.stats(id)->total, 128 * kMebibyte));
  CHECK(calls.service.stats(id)->used == 0);
  CHECK(calls.format(id) == "OK");
  CHECK(answer(calls.service.is_formatted(id)) == "true");
  CHECK(is_around(calls.service.stats(id)->total, 128 * kMebibyte));
  CHECK(calls.service.stats(id)->used < 64 * kMebibyte);
  CHECK(*calls.service.disk_number_of(id) == world.number());
  world.put_directory(target);
  CHECK(calls.mount(id, target) == "OK");
  CHECK(is_around(calls.service.stats(id)->total, 128 * kMebibyte));
  CHECK(outcome(calls.service.flush(id)) == "OK");
  CHECK(calls.unmount(id, target) == "OK");
  CHECK(outcome(calls.service.flush(id)) == "OK");
  CHECK(answer(calls.service.id_of_mount_point(target)) == "FAILED_PRECONDITION");
  CHECK(*calls.service.list(world.number(), 0) == Ids{id});
}

TEMPLATE_LIST_TEST_CASE("formatting is repeated until the volume is mounted", "", Worlds) {
  TestType world;
  Calls<TestType> calls{world};
  const std::string id = calls.formatted();
  CHECK(calls.format(id) == "OK");
  world.put_directory(world.at("target"));
  REQUIRE(calls.mount(id, world.at("target")) == "OK");
  CHECK(calls.format(id) == "FAILED_PRECONDITION");
  REQUIRE(calls.unmount(id, world.at("target")) == "OK");
  CHECK(calls.format(id) == "FAILED_PRECONDITION");
  CHECK(answer(calls.service.is_formatted(id)) == "true");
}

TEMPLATE_LIST_TEST_CASE("a whole disk with a filesystem is a volume and stays as it is", "",
                        Worlds) {
  TestType world(Setup{.whole_disk_filesystem = true});
  Calls<TestType> calls{world};
  const Result<Ids> ids = calls.service.list(world.number(), 0);
  REQUIRE(outcome(ids) == "OK");
  REQUIRE(ids->size() == 1);
  CHECK(answer(calls.service.is_formatted(ids->front())) == "true");
  CHECK(calls.format(ids->front()) == "FAILED_PRECONDITION");
  CHECK(*calls.service.disk_number_of(ids->front()) == world.number());
  world.put_directory(world.at("target"));
  CHECK(calls.mount(ids->front(), world.at("target")) == "OK");
  CHECK(answer(calls.service.id_of_mount_point(world.at("target"))) == ids->front());
  CHECK(calls.unmount(ids->front(), world.at("target")) == "OK");
}

TEMPLATE_LIST_TEST_CASE("an id that names no volume is refused by every method", "", Worlds) {
  TestType world;
  Calls<TestType> calls{world};
  const auto [id, code] = GENERATE(table<std::string, std::string>({
      {"", "INVALID_ARGUMENT"},
      {"-1", "NOT_FOUND"},
      {"PARTUUID=00000000-0000-0000-0000-000000000000", "NOT_FOUND"},
      {"\\\\?\\Volume{00000000-0000-0000-0000-000000000000}\\", "NOT_FOUND"},
      {"../../dev/vda", "NOT_FOUND"},
      {"PARTUUID=1\" or", "NOT_FOUND"},
      {std::string("PARTUUID=1\0", 11), "NOT_FOUND"},
      {std::string(129, 'x'), "NOT_FOUND"},
  }));
  CAPTURE(id);
  world.put_directory(world.at("target"));
  CHECK(outcome(calls.service.is_formatted(id)) == code);
  CHECK_THAT(calls.service.is_formatted(id).error().message(), !Catch::Contains("::"));
  CHECK(calls.format(id) == code);
  CHECK(calls.resize(id, 2 * kMebibyte) == code);
  CHECK(outcome(calls.service.stats(id)) == code);
  CHECK(outcome(calls.service.flush(id)) == code);
  CHECK(outcome(calls.service.disk_number_of(id)) == code);
  CHECK(calls.mount(id, world.at("target")) == code);
  CHECK(answer(calls.service.id_of_mount_point(world.at("target"))) == "FAILED_PRECONDITION");
}

TEMPLATE_LIST_TEST_CASE("an error shows a blank in an id, and nothing that could do harm", "",
                        Worlds) {
  TestType world;
  Calls<TestType> calls{world};
  CHECK_THAT(calls.service.resize(" 6085", 0, {}, "test").error().message(),
             Catch::Contains("\"\\0406085\""));
  CHECK_THAT(calls.service.is_formatted("a\n\"b").error().message(), Catch::Contains("\"a??b\""));
}

TEMPLATE_LIST_TEST_CASE("mounting and unmounting refuse an empty id and an empty target", "",
                        Worlds) {
  TestType world;
  Calls<TestType> calls{world};
  const std::string id = GENERATE("", "-1");
  CHECK(calls.mount(id, "") == "INVALID_ARGUMENT");
  CHECK(calls.unmount(id, "") == "INVALID_ARGUMENT");
  CHECK(calls.unmount("", world.at("target")) == "INVALID_ARGUMENT");
  CHECK_THAT(calls.service.mount("", test::node_path("/"), {}, "test").error().message(),
             Catch::Contains("volume id empty"));
  CHECK_THAT(calls.service.unmount("-1", "", {}, "test").error().message(),
             Catch::Contains("target path is empty"));
  CHECK(answer(calls.service.id_of_mount_point("")) == "INVALID_ARGUMENT");
  CHECK(answer(calls.service.closest_id("")) == "INVALID_ARGUMENT");
}

TEMPLATE_LIST_TEST_CASE("mounting again where the volume is already is success", "", Worlds) {
  TestType world(Setup{.disks = 2});
  Calls<TestType> calls{world};
  const std::string id = calls.mounted(world.at("a"));
  const std::string other = calls.formatted(1);
  world.put_directory(world.at("b"));
  CHECK(calls.mount(id, world.at("a")) == "OK");
  CHECK(calls.mount(id, world.at("a/")) == "OK");
  CHECK(calls.mount(other, world.at("a")) == "FAILED_PRECONDITION");
  CHECK(answer(calls.service.id_of_mount_point(world.at("a"))) == id);
  CHECK(calls.mount(id, world.at("b")) == "OK");
  CHECK(calls.unmount(id, world.at("a")) == "OK");
  CHECK(answer(calls.service.id_of_mount_point(world.at("a"))) == "FAILED_PRECONDITION");
  CHECK(answer(calls.service.id_of_mount_point(world.at("b"))) == id);
}

TEMPLATE_LIST_TEST_CASE("a volume is mounted only on an empty directory within the roots", "",
                        Worlds) {
  TestType world;
  Calls<TestType> calls{world};
  const std::string id = calls.formatted();
  world.put_directory(world.at("full/inner"));
  world.put_file(world.at("file"));
  world.put_link(world.outside(), world.at("out"));
  world.put_directory(world.at("foreign"));
  world.put_foreign_mount(world.at("foreign"));
  CHECK(calls.mount(id, world.at("missing")) == "NOT_FOUND");
  CHECK(calls.mount(id, world.at("missing/deeper")) == "NOT_FOUND");
  CHECK(calls.mount(id, world.at("file")) == "FAILED_PRECONDITION");
  CHECK(calls.mount(id, world.at("full")) == "FAILED_PRECONDITION");
  CHECK(calls.mount(id, world.at("foreign")) == "FAILED_PRECONDITION");
  CHECK(calls.mount(id, world.at("out")) == "FAILED_PRECONDITION");
  CHECK(calls.mount(id, world.at("out/deeper")) == "PERMISSION_DENIED");
  CHECK(calls.mount(id, world.outside()) == "PERMISSION_DENIED");
  CHECK(calls.mount(id, test::node_path("/")) == "PERMISSION_DENIED");
  CHECK(calls.mount(id, "relative") == "INVALID_ARGUMENT");
  CHECK(calls.mount(id, test::foreign_path()) == "INVALID_ARGUMENT");
  CHECK(calls.mount(id, world.at("full/../full/inner")) == "INVALID_ARGUMENT");
  // It was never mounted, or this were refused.
  CHECK(calls.format(id) == "OK");
}

TEMPLATE_LIST_TEST_CASE("a volume without a filesystem is neither mounted nor grown", "", Worlds) {
  TestType world;
  Calls<TestType> calls{world};
  const std::string id = calls.volume();
  world.put_directory(world.at("target"));
  CHECK(calls.mount(id, world.at("target")) == "FAILED_PRECONDITION");
  world.grow(256 * kMebibyte);
  CHECK(calls.resize(id, 192 * kMebibyte) == "FAILED_PRECONDITION");
  CHECK(calls.resize(id, -1) == "INVALID_ARGUMENT");
  CHECK(calls.service.stats(id)->total <= 128 * kMebibyte);
}

TEMPLATE_LIST_TEST_CASE("unmounting what is not mounted is success", "", Worlds) {
  TestType world;
  Calls<TestType> calls{world};
  const std::string id = calls.formatted();
  world.put_directory(world.at("target"));
  world.put_link(world.outside(), world.at("out"));
  CHECK(calls.unmount(id, world.at("target")) == "OK");
  CHECK(calls.unmount(id, world.at("missing")) == "OK");
  CHECK(calls.unmount(id, world.at("out")) == "FAILED_PRECONDITION");
  CHECK(calls.unmount(id, world.at("out/deeper")) == "PERMISSION_DENIED");
  CHECK(calls.unmount(id, world.outside()) == "PERMISSION_DENIED");
}

TEMPLATE_LIST_TEST_CASE("links lead to a target, and are none themselves", "", Worlds) {
  TestType world;
  Calls<TestType> calls{world};
  const std::string id = calls.formatted();
  world.put_directory(world.at("real/target"));
  world.put_link("real", world.at("way"));
  world.put_link("real/target", world.at("link"));
  CHECK(calls.mount(id, world.at("link")) == "FAILED_PRECONDITION");
  CHECK(calls.mount(id, world.at("way/target")) == "OK");
  CHECK(calls.mount(id, world.at("real/target")) == "OK");
  CHECK(calls.unmount(id, world.at("link")) == "FAILED_PRECONDITION");
  CHECK(answer(calls.service.id_of_mount_point(world.at("real/target"))) == id);
  CHECK(calls.unmount(id, world.at("way/target")) == "OK");
  CHECK(answer(calls.service.id_of_mount_point(world.at("real/target"))) == "FAILED_PRECONDITION");
}

TEMPLATE_LIST_TEST_CASE("only the volume itself is unmounted, and not while it is used", "",
                        Worlds) {
  TestType world(Setup{.disks = 2});
  Calls<TestType> calls{world};
  const std::string target = world.at("target");
  const std::string id = calls.mounted(target);
  const std::string other = calls.formatted(1);
  world.put_directory(world.at("foreign"));
  world.put_foreign_mount(world.at("foreign"));
  CHECK(calls.unmount(other, target) == "FAILED_PRECONDITION");
  CHECK(calls.unmount("-1", target) != "OK");
  CHECK(calls.unmount(id, world.at("foreign")) == "FAILED_PRECONDITION");
  if (TestType::kOpenFilesKeepMounts) {
    world.use(target);
    CHECK(calls.unmount(id, target) == "FAILED_PRECONDITION");
    CHECK(answer(calls.service.id_of_mount_point(target)) == id);
    world.release(target);
  }
  CHECK(calls.unmount(id, target) == "OK");
  CHECK(calls.unmount(id, target) == "OK");
}

TEMPLATE_LIST_TEST_CASE("a volume grows with its disk, mounted or not, and never shrinks", "",
                        Worlds) {
  const std::string filesystem = TestType::growing_filesystem();
  if (filesystem.empty()) {
    std::puts("SKIPPED: ext4 grows only with CAP_SYS_RESOURCE, and there is no mkfs.xfs");
    return;
  }
  TestType world(Setup{.bytes = 400 * kMebibyte, .filesystem = filesystem});
  Calls<TestType> calls{world};
  const std::string id = calls.formatted();
  if (GENERATE(false, true)) {
    world.put_directory(world.at("target"));
    REQUIRE(calls.mount(id, world.at("target")) == "OK");
  }
  const uint64_t before = calls.service.stats(id)->total;
  CHECK(is_around(before, 400 * kMebibyte));
  CHECK(calls.resize(id, 500 * kMebibyte) == "OUT_OF_RANGE");
  world.grow(1000 * kMebibyte);
  CHECK(calls.resize(id, 200 * kMebibyte) == "OK");
  CHECK(calls.service.stats(id)->total == before);
  CHECK(calls.resize(id, -1) == "INVALID_ARGUMENT");
  CHECK(calls.resize(id, 1001 * kMebibyte) == "OUT_OF_RANGE");
  CHECK(calls.service.stats(id)->total == before);
  for (int times = 0; times < 2; ++times) {
    CHECK(calls.resize(id, 600 * kMebibyte) == "OK");
    CHECK(is_around(calls.service.stats(id)->total, 600 * kMebibyte));
  }
  for (int times = 0; times < 2; ++times) {
    CHECK(calls.resize(id, 0) == "OK");
    CHECK(is_around(calls.service.stats(id)->total, 1000 * kMebibyte));
  }
}

TEMPLATE_LIST_TEST_CASE("a mount point tells its volume, and other paths do not", "", Worlds) {
  TestType world;
  Calls<TestType> calls{world};
  const std::string id = calls.mounted(world.at("target"));
  world.put_directory(world.at("target/inner"));
  world.put_directory(world.at("plain"));
  world.put_file(world.at("file"));
  world.put_link("target", world.at("link"));
  world.put_link(world.at("link"), world.at("chain"));
  world.put_link(world.outside(), world.at("out"));
  world.put_directory(world.at("foreign"));
  world.put_foreign_mount(world.at("foreign"));
  const auto id_at = [&](const char* name) {
    return answer(calls.service.id_of_mount_point(world.at(name)));
  };
  for (const char* name : {"target", "target/", "link", "chain"}) {
    CAPTURE(name);
    CHECK(id_at(name) == id);
  }
  for (const char* name : {"target/inner", "plain", "file", "foreign"}) {
    CAPTURE(name);
    CHECK(id_at(name) == "FAILED_PRECONDITION");
  }
  CHECK(id_at("missing") == "NOT_FOUND");
  CHECK(id_at("out") == "PERMISSION_DENIED");
  CHECK(answer(calls.service.id_of_mount_point(world.outside())) == "PERMISSION_DENIED");
  CHECK_THAT(calls.service.id_of_mount_point(world.at("plain")).error().message(),
             Catch::Contains("not a mounted folder"));
}

TEMPLATE_LIST_TEST_CASE("a path tells the volume that it lies on, through links too", "", Worlds) {
  TestType world(Setup{.disks = 2});
  Calls<TestType> calls{world};
  const std::string upper = calls.mounted(world.at("target"));
  world.put_directory(world.at("target/foo/bar"));
  world.put_file(world.at("target/foo/file"));
  const std::string lower = calls.mounted(world.at("target/lower"), 1);
  world.put_directory(world.at("target/lower/baz"));
  world.put_directory(world.at("links"));
  world.put_link(world.at("target"), world.at("links/to-target"));
  world.put_link("../target/lower/baz", world.at("links/to-baz"));
  world.put_link(world.outside(), world.at("links/out"));
  world.put_directory(world.at("foreign"));
  world.put_foreign_mount(world.at("foreign"));
  const auto closest = [&](const char* name) {
    return answer(calls.service.closest_id(world.at(name)));
  };
  for (const char* name : {"target", "target/foo/bar", "target/foo/file", "links/to-target",
                           "links/to-target/foo/bar"}) {
    CAPTURE(name);
    CHECK(closest(name) == upper);
  }
  for (const char* name :
       {"target/lower", "target/lower/baz", "links/to-baz", "links/to-target/lower/baz"}) {
    CAPTURE(name);
    CHECK(closest(name) == lower);
  }
  CHECK(closest("foreign") == "FAILED_PRECONDITION");
  CHECK(closest("target/missing") == "NOT_FOUND");
  CHECK(closest("links/out") == "PERMISSION_DENIED");
  CHECK(answer(calls.service.closest_id(world.outside())) == "PERMISSION_DENIED");
}

TEMPLATE_LIST_TEST_CASE("a volume whose disk was pulled out is unmounted all the same", "",
                        Worlds) {
  TestType world;
  Calls<TestType> calls{world};
  const std::string id = calls.mounted(world.at("target"));
  world.unplug();
  CHECK(calls.unmount(id, world.at("target")) == "OK");
  CHECK(calls.unmount(id, world.at("target")) == "OK");
  CHECK(answer(calls.service.id_of_mount_point(world.at("target"))) == "FAILED_PRECONDITION");
  CHECK(outcome(calls.service.list(world.number(), 0)) == "NOT_FOUND");
  CHECK(outcome(calls.service.stats(id)) == "NOT_FOUND");
  CHECK(calls.mount(id, world.at("target")) == "NOT_FOUND");
}

TEMPLATE_LIST_TEST_CASE("a call that is over before it begins changes nothing", "", Worlds) {
  TestType world;
  Calls<TestType> calls{world};
  const std::string id = calls.volume();
  world.put_directory(world.at("target"));
  Deadline late;
  late.time = Deadline::Clock::now();
  CHECK(outcome(calls.service.format(id, late, "test")) == "DEADLINE_EXCEEDED");
  CHECK(answer(calls.service.is_formatted(id)) == "false");
  REQUIRE(calls.format(id) == "OK");
  Deadline cancelled;
  cancelled.cancelled = [] { return true; };
  CHECK(outcome(calls.service.mount(id, world.at("target"), cancelled, "test")) == "CANCELLED");
  CHECK(answer(calls.service.id_of_mount_point(world.at("target"))) == "FAILED_PRECONDITION");
}

}  // namespace
}  // namespace longshore::volume
