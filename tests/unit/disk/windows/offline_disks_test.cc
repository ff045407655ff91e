// Disks that go offline and come online on a Windows that is made up: what uses them, what Windows'
// SAN policy does to them, and copies.
#include <catch2/catch.hpp>

#include "disk/windows/disk_backend_windows.h"
#include "tests/support/byte_units.h"
#include "tests/support/outcome.h"
#include "tests/support/windows/fake_node.h"

namespace longshore::disk {
namespace {

using test::FakeNode;
using test::outcome;
using test::windows_code;

// The disk 1, with a volume.
struct WithVolume {
  WithVolume() {
    node.disk(1);
    REQUIRE(backend.partition(1, {}));
    node.volume(1).filesystem = "NTFS";
  }

  FakeNode node;
  DiskBackendWindows backend{node, node, node, {.patience = std::chrono::milliseconds(0)}};
};

TEST_CASE("a volume's letter keeps no disk online, a directory that it is mounted on does") {
  WithVolume world;
  world.node.volume(1).paths = {L"E:\\"};
  CHECK(world.backend.set_online(1, false, {}));
  CHECK(world.backend.set_online(1, true, {}));
  world.node.volume(1).paths = {L"E:\\", L"C:\\var\\lib\\kubelet\\mount\\"};
  const auto refused = world.backend.set_online(1, false, {});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code() == StatusCode::kFailedPrecondition);
  CHECK_THAT(refused.error().message(), Catch::Contains("kubelet\\mount"));
  CHECK_FALSE(world.node.disk(1).offline);
}

TEST_CASE("what is unwritten is written before a disk goes offline") {
  WithVolume world;
  CHECK(world.backend.set_online(1, false, {}));
  CHECK(world.node.volume(1).flushes == 0);  // none is there any more
  world.node.disk(1).offline = false;
  CHECK(world.node.volume(1).flushes == 1);
}

TEST_CASE("the last users of a volume are waited for, as long as the call may take") {
  WithVolume world;
  world.node.volume(1).users = 1;
  DiskBackendWindows patient(world.node, world.node, world.node,
                             {.patience = std::chrono::hours(1)});
  Deadline deadline;
  int asked = 0;
  SECTION("until they go") {
    deadline.cancelled = [&] {
      if (++asked == 3) world.node.volume(1).users = 0;
      return false;
    };
    CHECK(patient.set_online(1, false, deadline));
    CHECK(world.node.disk(1).offline);
  }
  SECTION("until nobody waits any more") {
    deadline.cancelled = [&] { return ++asked == 3; };
    CHECK(outcome(patient.set_online(1, false, deadline)) == "CANCELLED");
    CHECK_FALSE(world.node.disk(1).offline);
  }
}

TEST_CASE("a volume that goes away meanwhile keeps nothing from going offline") {
  WithVolume world;
  const std::wstring gone = L"\\\\?\\Volume{00000000-0000-0000-0000-000000000001}\\";
  world.node.volumes_instead =
      support::VolumeFunctions::Names{{}, {gone, world.node.volume_name(1)}};
  CHECK(world.backend.set_online(1, false, {}));
}

TEST_CASE("while volumes cannot be listed no disk goes offline") {
  WithVolume world;
  world.node.volumes_instead =
      support::VolumeFunctions::Names{windows_code(ERROR_ACCESS_DENIED), {}};
  CHECK(outcome(world.backend.set_online(1, false, {})) == "PERMISSION_DENIED");
  CHECK_FALSE(world.node.disk(1).offline);
}

TEST_CASE("a disk that the SAN policy brought offline and read-only comes online writable") {
  WithVolume world;
  world.node.disk(1).offline = world.node.disk(1).read_only = true;
  CHECK(*world.backend.state(1) == DiskState{.online = false, .read_only = true});
  SECTION("as a rule") {
    CHECK(world.backend.set_online(1, true, {}));
    CHECK(*world.backend.state(1) == DiskState{.online = true, .read_only = false});
  }
  SECTION("but for who does not want it") {
    DiskBackendWindows careful(world.node, world.node, world.node, {.clears_read_only = false});
    CHECK(careful.set_online(1, true, {}));
    CHECK(*world.backend.state(1) == DiskState{.online = true, .read_only = true});
  }
}

TEST_CASE("a disk that is online and read-only is made writable too") {
  WithVolume world;
  world.node.disk(1).read_only = true;
  CHECK(outcome(world.backend.partition(1, {})) == "OK");
  CHECK(world.backend.set_online(1, true, {}));
  CHECK_FALSE(world.node.disk(1).read_only);
}

TEST_CASE("a read-only blank disk gets no table, and is told how it would") {
  FakeNode node;
  node.disk(1).read_only = true;
  DiskBackendWindows backend(node, node, node, {});
  const auto refused = backend.partition(1, {});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code() == StatusCode::kFailedPrecondition);
  CHECK_THAT(refused.error().message(),
             Catch::Contains("read-only") && Catch::Contains("SetDiskState"));
}

TEST_CASE("a copy of a disk that stays offline is said to be one") {
  WithVolume world;
  world.node.disk(2).style = PARTITION_STYLE_GPT;
  world.node.disk(2).offline = world.node.disk(2).stays_offline = true;
  const auto told = [&] {
    const auto refused = world.backend.set_online(2, true, {});
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code() == StatusCode::kFailedPrecondition);
    return refused.error().message();
  };
  SECTION("of which disk") {
    world.node.disk(2).disk_id = world.node.disk(1).disk_id;
    CHECK_THAT(told(), Catch::Contains("copy of disk 1"));
  }
  SECTION("of none") {
    world.node.disk(2).disk_id.Data1 = 77;
    CHECK_THAT(told(), !Catch::Contains("copy"));
  }
  SECTION("of none, as none has an id") {
    world.node.disk(2).disk_id = {};
    CHECK_THAT(told(), !Catch::Contains("copy"));
  }
}

}  // namespace
}  // namespace longshore::disk
