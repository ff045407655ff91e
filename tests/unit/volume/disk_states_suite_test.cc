// What the volume group promises of disks that are offline or read-only, the same on disks made of
// files and on the fake.
#include <catch2/catch.hpp>

#include "tests/unit/volume/suite_calls.h"

namespace longshore::volume {
namespace {

TEMPLATE_LIST_TEST_CASE("volumes of an offline disk are not served, and are found again", "",
                        Worlds) {
  TestType world(Setup{.disks = 2});
  Calls<TestType> calls{world};
  const std::string target = world.at("target");
  const std::string id = calls.mounted(target);
  const std::string other = calls.formatted(1);
  REQUIRE(calls.unmount(id, target) == "OK");
  REQUIRE(outcome(world.set_online(false)) == "OK");

  const auto listed = calls.service.list(world.number(), 0);
  REQUIRE_FALSE(listed);
  CHECK(listed.error().code() == StatusCode::kFailedPrecondition);
  const Result<bool> formatted = calls.service.is_formatted(id);
  REQUIRE_FALSE(formatted);
  CHECK(formatted.error().code() == StatusCode::kFailedPrecondition);
  for (const std::string& said : {listed.error().message(), formatted.error().message()}) {
    CHECK_THAT(said, Catch::Contains("disk " + std::to_string(world.number()) + " is offline"));
  }
  CHECK(outcome(calls.service.list(world.number(), 1)) == "FAILED_PRECONDITION");
  CHECK(calls.format(id) == "FAILED_PRECONDITION");
  CHECK(calls.mount(id, target) == "FAILED_PRECONDITION");
  CHECK(calls.resize(id, 0) == "FAILED_PRECONDITION");
  CHECK(outcome(calls.service.stats(id)) == "FAILED_PRECONDITION");
  CHECK(answer(calls.service.id_of_mount_point(target)) == "FAILED_PRECONDITION");
  // What drivers repeat when they unstage.
  CHECK(calls.unmount(id, target) == "OK");
  CHECK(outcome(calls.service.flush(id)) == "OK");
  CHECK(*calls.service.disk_number_of(id) == world.number());
  CHECK(outcome(world.set_online(false)) == "OK");
  // Others are served.
  CHECK(*calls.service.list(world.number(1), 0) == Ids{other});
  CHECK(answer(calls.service.is_formatted(other)) == "true");
  CHECK(answer(calls.service.is_formatted("PARTUUID=none")) == "NOT_FOUND");

  CHECK(outcome(world.partition()) == "OK");
  REQUIRE(outcome(world.set_online(true)) == "OK");
  CHECK(*calls.service.list(world.number(), 0) == Ids{id});
  CHECK(answer(calls.service.is_formatted(id)) == "true");
  CHECK(calls.mount(id, target) == "OK");
}

TEMPLATE_LIST_TEST_CASE("a blank disk that is offline is not said to have no volumes", "", Worlds) {
  TestType world;
  Calls<TestType> calls{world};
  REQUIRE(outcome(world.set_online(false)) == "OK");
  CHECK(outcome(calls.service.list(world.number(), 0)) == "FAILED_PRECONDITION");
  CHECK(outcome(world.partition()) == "OK");
  CHECK(outcome(calls.service.list(world.number(), 0)) == "FAILED_PRECONDITION");
  REQUIRE(outcome(world.set_online(true)) == "OK");
  CHECK(calls.service.list(world.number(), 0)->size() == 1);
}

TEMPLATE_LIST_TEST_CASE("a disk of which a volume is mounted stays online", "", Worlds) {
  TestType world;
  Calls<TestType> calls{world};
  const std::string id = calls.mounted(world.at("target"));
  CHECK(outcome(world.set_online(false)) == "FAILED_PRECONDITION");
  CHECK(*calls.service.list(world.number(), 0) == Ids{id});
  REQUIRE(calls.unmount(id, world.at("target")) == "OK");
  CHECK(outcome(world.set_online(false)) == "OK");
}

TEMPLATE_LIST_TEST_CASE("a volume of a read-only disk is mounted only for who asked for that", "",
                        Worlds) {
  const bool asked = GENERATE(false, true);
  TestType world(Setup{.mount_read_only_disks = asked});
  Calls<TestType> calls{world};
  const std::string id = calls.formatted();
  world.put_directory(world.at("target"));
  world.make_read_only();
  const Result<void> mounted = calls.service.mount(id, world.at("target"), {}, "test");
  CHECK(outcome(mounted) == (asked ? "OK" : "FAILED_PRECONDITION"));
  if (!asked) CHECK_THAT(mounted.error().message(), Catch::Contains("is read-only"));
  CHECK(answer(calls.service.id_of_mount_point(world.at("target"))) ==
        (asked ? id : "FAILED_PRECONDITION"));
  CHECK(calls.unmount(id, world.at("target")) == "OK");
}

TEMPLATE_LIST_TEST_CASE("a volume of a read-only disk is resized where nothing is to grow", "",
                        Worlds) {
  TestType world(Setup{.mount_read_only_disks = true});
  Calls<TestType> calls{world};
  const std::string id = calls.formatted();
  world.put_directory(world.at("target"));
  world.make_read_only();
  const bool is_mounted = GENERATE(false, true);
  if (is_mounted) REQUIRE(calls.mount(id, world.at("target")) == "OK");
  CHECK(calls.resize(id, 0) == "OK");
  CHECK(calls.resize(id, 1 << 20) == "OK");
  world.grow(uint64_t{400} << 20);
  const Result<void> refused = calls.service.resize(id, 0, {}, "test");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code() == StatusCode::kFailedPrecondition);
  // Not to set what is set.
  CHECK_THAT(refused.error().message(),
             Catch::Contains("is read-only") && !Catch::Contains("mount_read_only_disks"));
}

}  // namespace
}  // namespace longshore::volume
