#include <catch2/catch.hpp>

#include "tests/drivers/drivers.h"
#include "tests/drivers/loop_node.h"
#include "tests/drivers/lost_disk.h"
#include "tests/drivers/node_methods.h"
#include "tests/drivers/positions.h"

using namespace longshore::test;

TEST_CASE("vSphere: a volume's whole life") { check_whole_life(vsphere().front(), loop_nodes()); }

TEST_CASE("vSphere: the agent is killed between every two calls", "[thorough]") {
  check_kills_between_calls(vsphere().front(), loop_nodes());
}

TEST_CASE("vSphere: the driver restarts before the first call of each row") {
  check_restarts_at_each_row(vsphere().front(), loop_nodes());
}

TEST_CASE("vSphere: the driver restarts between any two calls", "[thorough]") {
  check_driver_restarts(vsphere(), loop_nodes());
}

TEST_CASE("vSphere: the agent is killed before every answer", "[plain][thorough]") {
  check_lost_answers(vsphere(), loop_nodes());
}

TEST_CASE("vSphere: the agent is killed during every call", "[plain][thorough]") {
  check_kills_during_calls(vsphere(), loop_nodes());
}

TEST_CASE("vSphere: a volume whose disk was pulled out is unpublished and unstaged") {
  for (const Driver& driver : vsphere()) check_lost_disk(driver, loop_nodes());
}

// NodeExpandVolume leaves ResizeVolume out where the disk has the size that is wanted, and by then
// it has. NodeStageVolume resizes nothing, so that the volume stays as it is. With csi-proxy too.
TEST_CASE("vSphere: a volume whose disk has grown is not grown") {
  LoopNode node("ext4", 64 * kMebibyte);
  const Driver driver = vsphere().front();
  NodeMethods methods(driver, node);
  REQUIRE(methods.stage().failure == "");
  REQUIRE(methods.publish().failure == "");
  const int64_t before = methods.filesystem_bytes();
  node.grow(320 * kMebibyte);
  CHECK(methods.expand(node.bytes()).failure == "");
  REQUIRE(methods.unpublish().failure == "");
  REQUIRE(methods.unstage().failure == "");
  CHECK(methods.stage().failure == "");
  CHECK_FALSE(methods.has_called(Method::kResizeVolume));
  CHECK(methods.filesystem_bytes() == before);
}
