// What the volume group promises that no loop device can show, on the fake.
#include <catch2/catch.hpp>

#include "tests/unit/volume/suite_calls.h"

namespace longshore::volume {
namespace {

TEST_CASE("while a volume is mounted somewhere, others of it and of the target are refused") {
  FakeWorld world(Setup{.disks = 2});
  Calls<FakeWorld> calls{world};
  const std::string id = calls.formatted();
  const std::string other = calls.formatted(1);
  world.put_directory(world.at("a"));
  world.put_directory(world.at("b"));
  std::vector<std::string> meanwhile;
  Deadline deadline;
  deadline.cancelled = [&] {  // asked by the backend, in the middle of the mutation
    const Result<void> refused = calls.service.mount(other, world.at("a"), {}, "second");
    meanwhile = {outcome(refused), calls.format(id), calls.mount(other, world.at("b"))};
    CHECK_THAT(refused.error().message(),
               Catch::Contains("the request \"first\" is at work on target " + world.at("a")) &&
                   Catch::Contains("mount the volume " + id));
    return false;
  };
  CHECK(outcome(calls.service.mount(id, world.at("a"), deadline, "first")) == "OK");
  CHECK(meanwhile == std::vector<std::string>{"ABORTED", "ABORTED", "OK"});
}

TEST_CASE("what loop devices cannot show is shown on the fake") {
  using Content = FakeVolume::Content;
  FakeWorld world;
  VolumeBackendFake& backend = world.backend();
  Calls<FakeWorld> calls{world};
  backend.put_volume("PARTUUID=b", {.disk_number = 1, .partition_number = 1});
  backend.put_volume("PARTUUID=a@1",
                     {.disk_number = 1, .partition_number = 2, .content = Content::kHalfFormatted});
  backend.put_volume("PARTUUID=a@2", {.disk_number = 2, .partition_number = 1, .read_only = true});
  backend.put_volume("UUID=c", {.disk_number = 2, .content = Content::kSomethingElse});
  CHECK(*calls.service.list(1, 0) == Ids{"PARTUUID=b", "PARTUUID=a@1"});
  CHECK(*calls.service.list(2, 0) == Ids{"UUID=c", "PARTUUID=a@2"});
  CHECK_THAT(calls.service.stats("PARTUUID=a").error().message(),
             Catch::Contains("PARTUUID=a@1, PARTUUID=a@2"));
  CHECK(outcome(calls.service.stats("PARTUUID=a")) == "FAILED_PRECONDITION");
  CHECK(answer(calls.service.is_formatted("PARTUUID=a@1")) == "false");
  CHECK(calls.format("PARTUUID=a@1") == "OK");
  CHECK(answer(calls.service.is_formatted("PARTUUID=a@1")) == "true");
  CHECK(calls.format("PARTUUID=a@2") == "FAILED_PRECONDITION");
  CHECK(answer(calls.service.is_formatted("UUID=c")) == "true");
  CHECK(calls.format("UUID=c") == "FAILED_PRECONDITION");
}

TEST_CASE("the number of a disk with several volumes is refused, and they are named") {
  FakeWorld world;
  for (const uint32_t partition : {1U, 2U}) {
    world.backend().put_volume("PARTUUID=" + std::to_string(partition),
                               {.disk_number = world.number(), .partition_number = partition});
  }
  const Result<void> refused =
      world.service().resize(std::to_string(world.number()), 0, {}, "test");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code() == StatusCode::kFailedPrecondition);
  CHECK_THAT(refused.error().message(), Catch::Contains("PARTUUID=1, PARTUUID=2"));
}

// AWS EBS, GCP PD and vSphere ask for the id before they unmount, and fail for ever where they get
// none; azuredisk writes the cache out first. What cannot be written must not keep them. (A loop
// disk stays while it is mounted: of real ones see seen_disks_test.cc and special_mounts_test.cc.)
TEST_CASE("a volume whose disk is gone is written out and let go, with a warning") {
  FakeWorld world;
  Calls<FakeWorld> calls{world};
  std::vector<std::string> warnings;
  const support::WarningLog log([&](std::string_view text) { warnings.emplace_back(text); });
  const std::string target = world.at("target");
  const std::string known = calls.mounted(target);
  CHECK(outcome(calls.service.flush(known, log)) == "OK");
  CHECK(warnings.empty());
  world.unplug();
  const std::string lost = answer(calls.service.id_of_mount_point(target));
  CHECK_THAT(lost, Catch::StartsWith("LOST="));
  CHECK(*calls.service.disk_number_of(lost) == 0);
  CHECK(outcome(calls.service.disk_number_of(known)) == "NOT_FOUND");
  CHECK(outcome(calls.service.stats(lost)) == "NOT_FOUND");
  const std::string id = GENERATE(true, false) ? known : lost;
  CHECK(outcome(calls.service.flush(id, log)) == "OK");
  CHECK(warnings.size() == 1);
  for (const std::string& other : {std::string("PARTUUID=1"), known + "@7", lost + "1"}) {
    CHECK(outcome(calls.service.unmount(other, target, {}, "test", log)) == "FAILED_PRECONDITION");
  }
  CHECK(outcome(calls.service.unmount(id, target, {}, "test", log)) == "OK");
  REQUIRE(warnings.size() == 2);
  for (const std::string& warning : warnings) {
    CHECK_THAT(warning, Catch::Contains("\"" + target + "\"") && Catch::Contains("not written") &&
                            Catch::Contains("is lost"));
  }
  // From now on there is nothing that the id could mean, and nothing to be lost.
  CHECK(outcome(calls.service.unmount(id, target, {}, "test", log)) == "OK");
  CHECK(outcome(calls.service.flush(id, log)) == "NOT_FOUND");
  CHECK(outcome(calls.service.disk_number_of(id)) == "NOT_FOUND");
  CHECK(warnings.size() == 2);
}

}  // namespace
}  // namespace longshore::volume
