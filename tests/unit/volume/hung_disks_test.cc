// A disk that does not answer, beside others that do: a loop device on a file whose server is this
// program, and silent.
#include <cstdio>

#include "tests/support/eventually.h"
#include "tests/support/served_file.h"
#include "tests/unit/volume/disk_world.h"

namespace longshore::volume {
namespace {

using test::eventually;
using test::LoopDisk;
using test::ServedFile;

// Two disks with a volume each, of which the first can hang.
struct World {
  explicit World(const AgentOptions& options = {.patience = std::chrono::seconds(2)})
      : agent(node, {&disk, &healthy}, options) {
    id = agent.new_volume(disk);
    healthy_id = agent.new_volume(healthy);
  }
  ~World() { file.answer_again(); }

  void hang() {
    test::forget_cached(disk.node());
    file.fall_silent();
  }

  ServedFile file{kDiskBytes};
  LoopDisk disk{kDiskBytes, {.file = file.path()}};
  LoopDisk healthy{kDiskBytes};
  Node node;
  Agent agent;
  std::string id, healthy_id;
};

bool is_possible() {
  if (ServedFile::is_possible()) return true;
  std::puts("SKIPPED: no /dev/fuse here");
  return false;
}

TEST_CASE("a disk that hangs holds up no call for another, and is not said to be without volumes") {
  if (!is_possible()) return;
  World world;
  Agent& agent = world.agent;
  REQUIRE(agent.is_formatted(world.id) == "false");
  world.hang();
  for (int i = 0; i < 3; ++i) {
    CHECK(agent.ids(world.healthy) == Ids{world.healthy_id});
    CHECK(agent.is_formatted(world.healthy_id) == "false");
    CHECK(*agent.service().disk_number_of(world.healthy_id) == world.healthy.number());
  }
  CHECK(world.file.is_awaited());
  CHECK(agent.format(world.healthy_id) == "OK");
  const std::string target = world.node.target("target");
  CHECK(agent.mount(world.healthy_id, target) == "OK");
  CHECK(agent.id_at(target) == world.healthy_id);
  CHECK(agent.unmount(world.healthy_id, target) == "OK");

  const auto listed = agent.service().list(world.disk.number(), 0);
  REQUIRE_FALSE(listed);
  CHECK(listed.error().code() == StatusCode::kUnavailable);
  CHECK_THAT(listed.error().message(), Catch::Contains(world.disk.node()));
  for (const std::string& id : {world.id, std::string("PARTUUID=1")}) {
    const auto formatted = agent.service().is_formatted(id);
    REQUIRE_FALSE(formatted);
    CHECK(formatted.error().code() == StatusCode::kUnavailable);
    CHECK_THAT(formatted.error().message(), Catch::Contains(world.disk.node()));
  }

  world.file.answer_again();
  CHECK(eventually([&] { return agent.is_formatted(world.id) == "false"; }));
  CHECK(agent.is_formatted("PARTUUID=1") == "NOT_FOUND");
}

TEST_CASE("what is mounted from a disk that hangs is told apart from what others have mounted") {
  if (!is_possible()) return;
  World world;
  Agent& agent = world.agent;
  const std::string target = world.node.target("hung"), other = world.node.target("healthy");
  REQUIRE(agent.format(world.id) == "OK");
  REQUIRE(agent.mount(world.id, target) == "OK");
  REQUIRE(agent.format(world.healthy_id) == "OK");
  REQUIRE(agent.mount(world.healthy_id, other) == "OK");
  world.hang();
  CHECK(agent.id_at(other) == world.healthy_id);
  CHECK(agent.flush(world.healthy_id) == "OK");
  CHECK(outcome(agent.service().disk_number_of("LOST=0:0")) == "UNAVAILABLE");
  CHECK_THAT(agent.id_at(target), Catch::StartsWith("LOST="));
  CHECK(agent.unmount(world.healthy_id, target) == "FAILED_PRECONDITION");
  CHECK(agent.unmount(world.healthy_id, other) == "OK");
  world.file.answer_again();
  CHECK(eventually([&] { return agent.id_at(target) == world.id; }));
  CHECK(agent.unmount(world.id, target) == "OK");
}

}  // namespace
}  // namespace longshore::volume
