// What the disk group promises, the same on disks made of files, on those of a Windows that is made
// up, and on the fake.
#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/support/byte_units.h"
#include "tests/support/outcome.h"
#include "tests/unit/disk/worlds.h"

namespace longshore::disk {
namespace {

using test::outcome;

using test::kMebibyte;
constexpr uint32_t kUnknown = 4'000'000'000;

TEMPLATE_LIST_TEST_CASE("every disk has identifiers, and a location only where it has one", "",
                        Worlds) {
  TestType world(Disks(2));
  DiskService service(world.backend());
  const auto identities = service.list_identities();
  REQUIRE(identities);
  CHECK(identities->size() == 2);
  CHECK(identities->contains(world.number(0)));
  CHECK(identities->contains(world.number(1)));
  const auto locations = service.list_locations();
  REQUIRE(locations);
  CHECK(locations->empty());
}

TEMPLATE_LIST_TEST_CASE("a disk's size is its own, and a grown disk's is seen after Rescan", "",
                        Worlds) {
  TestType world(Disks{{}, {32 * kMebibyte}});
  DiskService service(world.backend());
  CHECK(*service.total_bytes(world.number(0)) == 64 * kMebibyte);
  CHECK(*service.total_bytes(world.number(1)) == 32 * kMebibyte);
  CHECK(outcome(service.rescan({}, "test")) == "OK");
  world.grow(1, 96 * kMebibyte);
  CHECK(outcome(service.rescan({}, "test")) == "OK");
  CHECK(*service.total_bytes(world.number(0)) == 64 * kMebibyte);
  CHECK(*service.total_bytes(world.number(1)) == 96 * kMebibyte);
}

bool is_online(DiskService& service, uint32_t number) {
  const Result<DiskState> state = service.state(number);
  REQUIRE(state);
  return state->online;
}

TEMPLATE_LIST_TEST_CASE("a disk goes offline and online, each as often as asked", "", Worlds) {
  TestType world(Disks(2));
  DiskService service(world.backend());
  const uint32_t number = world.number(0);
  CHECK(is_online(service, number));
  for (const bool online : {true, false, true}) {
    for (int times = 0; times < 2; ++times) {
      CHECK(outcome(service.set_online(number, online, {}, "test")) == "OK");
      CHECK(is_online(service, number) == online);
      CHECK(is_online(service, world.number(1)));
    }
  }
}

TEMPLATE_LIST_TEST_CASE("an offline disk is partitioned, once, and stays offline", "", Worlds) {
  TestType world;
  DiskService service(world.backend());
  const uint32_t number = world.number(0);
  REQUIRE(outcome(service.set_online(number, false, {}, "test")) == "OK");
  for (int times = 0; times < 2; ++times) {
    CHECK(outcome(service.partition(number, {}, "test")) == "OK");
    CHECK(world.has_table(0));
    CHECK_FALSE(is_online(service, number));
  }
  CHECK(*service.total_bytes(number) == 64 * kMebibyte);
  CHECK(outcome(service.set_online(number, true, {}, "test")) == "OK");
  CHECK(outcome(service.partition(number, {}, "test")) == "OK");
}

TEMPLATE_LIST_TEST_CASE("an offline disk that holds something else gets no table", "", Worlds) {
  TestType world(Disks{{.filesystem = true}});
  DiskService service(world.backend());
  REQUIRE(outcome(service.set_online(world.number(0), false, {}, "test")) == "OK");
  CHECK(outcome(service.partition(world.number(0), {}, "test")) == "FAILED_PRECONDITION");
  CHECK_FALSE(world.has_table(0));
}

TEMPLATE_LIST_TEST_CASE("a disk that is used is not taken offline", "", Worlds) {
  TestType world;
  DiskService service(world.backend());
  const uint32_t number = world.number(0);
  world.use(0);
  CHECK(outcome(service.set_online(number, false, {}, "test")) == "FAILED_PRECONDITION");
  CHECK(is_online(service, number));
  CHECK(outcome(service.set_online(number, true, {}, "test")) == "OK");
  world.release(0);
  CHECK(outcome(service.set_online(number, false, {}, "test")) == "OK");
}

TEMPLATE_LIST_TEST_CASE("a call that is over before it begins takes no disk offline", "", Worlds) {
  TestType world;
  DiskService service(world.backend());
  Deadline late;
  late.time = Deadline::Clock::now();
  CHECK(outcome(service.set_online(world.number(0), false, late, "test")) == "DEADLINE_EXCEEDED");
  CHECK(is_online(service, world.number(0)));
}

TEMPLATE_LIST_TEST_CASE("a read-only disk is told to be so, and online", "", Worlds) {
  TestType world(Disks{{.read_only = true}, {}});
  DiskService service(world.backend());
  CHECK(*service.state(world.number(0)) == DiskState{.online = true, .read_only = true});
  CHECK(*service.state(world.number(1)) == DiskState{.online = true, .read_only = false});
  std::vector<std::string> warned;
  const support::WarningLog log([&](std::string_view text) { warned.emplace_back(text); });
  CHECK(service.state(world.number(0), log));
  // Nothing but the administrator's setting makes it writable, and the loop device not even so.
  CHECK(outcome(service.set_online(world.number(0), true, {}, "test", log)) == "OK");
  REQUIRE(warned.size() == 2);
  for (const std::string& text : warned) {
    CHECK_THAT(text, Catch::StartsWith("disk " + std::to_string(world.number(0))) &&
                         Catch::Contains("is read-only"));
  }
  CHECK(service.state(world.number(0))->read_only);
  // The other is not, and one that goes offline need not be told of.
  CHECK(service.state(world.number(1), log));
  CHECK(outcome(service.set_online(world.number(1), true, {}, "test", log)) == "OK");
  CHECK(outcome(service.set_online(world.number(0), false, {}, "test", log)) == "OK");
  CHECK(warned.size() == 2);
}

TEMPLATE_LIST_TEST_CASE("a blank disk gets a table once", "", Worlds) {
  TestType world(Disks(2));
  DiskService service(world.backend());
  REQUIRE_FALSE(world.has_table(0));
  CHECK(outcome(service.partition(world.number(0), {}, "test")) == "OK");
  CHECK(world.has_table(0));
  CHECK_FALSE(world.has_table(1));
  CHECK(outcome(service.partition(world.number(0), {}, "test")) == "OK");
  CHECK(world.has_table(0));
}

TEMPLATE_LIST_TEST_CASE("a disk that holds something else gets no table", "", Worlds) {
  TestType world(Disks{{.filesystem = true}});
  DiskService service(world.backend());
  CHECK(outcome(service.partition(world.number(0), {}, "test")) == "FAILED_PRECONDITION");
  CHECK_FALSE(world.has_table(0));
}

TEMPLATE_LIST_TEST_CASE("a disk with bytes of no known kind at an end gets no table", "", Worlds) {
  const uint64_t byte =
      GENERATE(uint64_t{0}, uint64_t{4096}, kMebibyte - 1, 63 * kMebibyte, 64 * kMebibyte - 1);
  CAPTURE(byte);
  TestType world(Disks{{.byte = byte}});
  DiskService service(world.backend());
  CHECK(outcome(service.partition(world.number(0), {}, "test")) == "FAILED_PRECONDITION");
  CHECK_FALSE(world.has_table(0));
}

TEMPLATE_LIST_TEST_CASE("a read-only disk gets no table", "", Worlds) {
  TestType world(Disks{{.read_only = true}});
  DiskService service(world.backend());
  CHECK(outcome(service.partition(world.number(0), {}, "test")) == "FAILED_PRECONDITION");
  CHECK_FALSE(world.has_table(0));
}

TEMPLATE_LIST_TEST_CASE("a call that is over before it begins changes nothing", "", Worlds) {
  TestType world;
  DiskService service(world.backend());
  Deadline late;
  late.time = Deadline::Clock::now();
  Deadline cancelled;
  cancelled.cancelled = [] { return true; };
  CHECK(outcome(service.partition(world.number(0), late, "test")) == "DEADLINE_EXCEEDED");
  CHECK(outcome(service.partition(world.number(0), cancelled, "test")) == "CANCELLED");
  CHECK_FALSE(world.has_table(0));
}

TEMPLATE_LIST_TEST_CASE("a number that names no disk is NOT_FOUND", "", Worlds) {
  TestType world;
  DiskService service(world.backend());
  const uint32_t number = GENERATE(0U, kUnknown);
  CAPTURE(number);
  CHECK(outcome(service.total_bytes(number)) == "NOT_FOUND");
  CHECK(outcome(service.partition(number, {}, "test")) == "NOT_FOUND");
  CHECK(outcome(service.state(number)) == "NOT_FOUND");
  CHECK(outcome(service.set_online(number, true, {}, "test")) == "NOT_FOUND");
  CHECK(outcome(service.set_online(number, false, {}, "test")) == "NOT_FOUND");
}

TEMPLATE_LIST_TEST_CASE("a disk that is pulled out is gone, and the others stay", "", Worlds) {
  TestType world(Disks(2));
  DiskService service(world.backend());
  const uint32_t gone = world.number(0);
  REQUIRE(service.partition(gone, {}, "test"));
  world.pull_out(0);
  CHECK(outcome(service.rescan({}, "test")) == "OK");
  CHECK(outcome(service.total_bytes(gone)) == "NOT_FOUND");
  CHECK(outcome(service.partition(gone, {}, "test")) == "NOT_FOUND");
  CHECK_FALSE(service.list_identities()->contains(gone));
  CHECK(outcome(service.total_bytes(world.number(1))) == "OK");
}

TEMPLATE_LIST_TEST_CASE("a name that no disk has is NOT_FOUND, and none is refused", "", Worlds) {
  TestType world;
  DiskService service(world.backend());
  const Result<uint32_t> unknown =
      service.number_by_name("naa.600140500000000" + std::string(1, 0));
  REQUIRE_FALSE(unknown);
  CHECK(unknown.error().code() == StatusCode::kNotFound);
  CHECK_THAT(unknown.error().message(),
             Catch::Contains("could not find disk with Page83 ID") && Catch::Contains("0000?"));
  CHECK(outcome(service.number_by_name("")) == "INVALID_ARGUMENT");
  CHECK(service.number_by_name(std::string(1 << 20, 'x')).error().message().size() < 1000);
}

// What no loop device can be is shown on the fake alone.
class DisksWithStates {
 public:
  DisksWithStates() {
    disks_.put(1, {.size = kMebibyte, .identity = {"naa.1", ""}});
    disks_.put(2, {.size = kMebibyte, .identity = {"naa.twice", ""}, .in_use = true});
    disks_.put(3, {.size = kMebibyte, .identity = {"naa.twice", ""}, .needed_by_system = true});
    disks_.put(4, {.size = ~uint64_t{0}, .location = DiskLocation{"0", "1", "2", "3"}});
  }

  DiskBackendFake& disks() { return disks_; }
  DiskService& service() { return service_; }

 private:
  DiskBackendFake disks_;
  DiskService service_{disks_};
};

TEST_CASE("a disk that the system needs stays online") {
  DisksWithStates world;
  DiskService& service = world.service();
  CHECK(outcome(service.set_online(3, true, {}, "test")) == "OK");
  CHECK(outcome(service.set_online(3, false, {}, "test")) == "FAILED_PRECONDITION");
  CHECK(outcome(service.partition(3, {}, "test")) == "FAILED_PRECONDITION");
  CHECK(is_online(service, 3));
}

TEST_CASE("a disk that the system took offline gets no table until it is brought online") {
  DisksWithStates world;
  DiskService& service = world.service();
  world.disks().put(5, {.size = kMebibyte, .system_has_it_offline = true});
  CHECK_FALSE(is_online(service, 5));
  CHECK(outcome(service.partition(5, {}, "test")) == "FAILED_PRECONDITION");
  CHECK(outcome(service.set_online(5, true, {}, "test")) == "OK");
  CHECK(outcome(service.partition(5, {}, "test")) == "OK");
}

TEST_CASE("a disk is found by its name, and not where several have it") {
  DisksWithStates world;
  CHECK(*world.service().number_by_name("naa.1") == 1);
  CHECK(outcome(world.service().number_by_name("NAA.1")) == "NOT_FOUND");
  const Result<uint32_t> twice = world.service().number_by_name("naa.twice");
  REQUIRE_FALSE(twice);
  CHECK(twice.error().code() == StatusCode::kFailedPrecondition);
  CHECK_THAT(twice.error().message(), Catch::Contains("disk 2, disk 3"));
}

TEST_CASE("a size that no answer can hold is an error, and a location is given as it is") {
  DisksWithStates world;
  CHECK(outcome(world.service().total_bytes(4)) == "OUT_OF_RANGE");
  const auto locations = world.service().list_locations();
  REQUIRE(locations);
  CHECK(*locations == std::map<uint32_t, DiskLocation>{{4, {"0", "1", "2", "3"}}});
}

TEST_CASE("while a disk is changed, others of it are refused and other disks are not") {
  DisksWithStates world;
  DiskService& service = world.service();
  std::vector<std::string> meanwhile;
  Deadline deadline;
  deadline.cancelled = [&] {  // asked by the backend, in the middle of the mutation
    const Result<void> refused = service.set_online(1, false, {}, "second");
    meanwhile = {outcome(refused), outcome(service.set_online(2, true, {}, "third")),
                 outcome(service.rescan({}, "fourth"))};
    CHECK_THAT(refused.error().message(), Catch::Contains("take disk 1 offline") &&
                                              Catch::Contains("\"first\"") &&
                                              Catch::Contains("partition disk 1"));
    return false;
  };
  CHECK(outcome(service.partition(1, deadline, "first")) == "OK");
  CHECK(meanwhile == std::vector<std::string>{"ABORTED", "OK", "OK"});
}

TEST_CASE("a disk that came is seen after Rescan") {
  DisksWithStates world;
  world.disks().put_unseen(7, {.size = 5 * kMebibyte});
  CHECK(outcome(world.service().total_bytes(7)) == "NOT_FOUND");
  CHECK(outcome(world.service().rescan({}, "test")) == "OK");
  CHECK(*world.service().total_bytes(7) == 5 * kMebibyte);
}

}  // namespace
}  // namespace longshore::disk
