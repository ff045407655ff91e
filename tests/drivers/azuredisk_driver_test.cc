#include <catch2/catch.hpp>
#include <cstdio>

#include "tests/drivers/drivers.h"
#include "tests/drivers/loop_node.h"
#include "tests/drivers/lost_disk.h"
#include "tests/drivers/node_methods.h"
#include "tests/drivers/positions.h"

using namespace longshore::test;

TEST_CASE("azuredisk: a volume's whole life") {
  check_whole_life(azuredisk().front(), loop_nodes());
}

TEST_CASE("azuredisk: the agent is killed between every two calls") {
  check_kills_between_calls(azuredisk().front(), loop_nodes());
}

TEST_CASE(
    "azuredisk's fallback: a volume's whole life, and the agent is killed between every two calls",
    "[thorough]") {
  check_whole_life(azuredisk().back(), loop_nodes());
  check_kills_between_calls(azuredisk().back(), loop_nodes());
}

TEST_CASE("azuredisk: the driver restarts before the first call of each row") {
  for (const Driver& driver : azuredisk()) check_restarts_at_each_row(driver, loop_nodes());
}

TEST_CASE("azuredisk: the driver restarts between any two calls", "[thorough]") {
  check_driver_restarts(azuredisk(), loop_nodes());
}

TEST_CASE("azuredisk: the agent is killed before every answer", "[plain][thorough]") {
  check_lost_answers(azuredisk(), loop_nodes());
}

TEST_CASE("azuredisk: the agent is killed during every call", "[plain][thorough]") {
  check_kills_during_calls(azuredisk(), loop_nodes());
}

TEST_CASE("azuredisk: a volume whose disk was pulled out is unpublished and unstaged") {
  for (const Driver& driver : azuredisk()) check_lost_disk(driver, loop_nodes());
}

// NodeExpandVolume asks for the filesystem's size, in whole GiB, before it grows anything. With
// csi-proxy nothing else comes of it.
TEST_CASE("azuredisk: a volume that is to grow by GiBs is grown by the next stage") {
  const std::string filesystem = DiskNode::growing_filesystem();
  if (filesystem.empty()) {
    std::puts("SKIPPED: no filesystem can grow here");
    return;
  }
  constexpr int64_t kGibibyte = 1024 * kMebibyte;
  LoopNode node(filesystem, kGibibyte);
  const Driver driver = azuredisk().front();
  NodeMethods methods(driver, node);
  REQUIRE(methods.stage().failure == "");
  REQUIRE(methods.publish().failure == "");
  const int64_t before = methods.filesystem_bytes();
  node.grow(3 * kGibibyte);
  CHECK(methods.expand(3 * kGibibyte).failure == "the disk has not grown yet");
  CHECK_FALSE(methods.has_called(Method::kResizeVolume));
  CHECK(methods.filesystem_bytes() == before);

  REQUIRE(methods.unpublish().failure == "");
  REQUIRE(methods.unstage().failure == "");
  CHECK(methods.stage().failure == "");
  CHECK(methods.filesystem_bytes() > 2 * kGibibyte);
  REQUIRE(methods.publish().failure == "");
  CHECK(methods.expand(3 * kGibibyte).failure == "");
}
