#include <catch2/catch.hpp>

#include "tests/drivers/drivers.h"
#include "tests/drivers/loop_node.h"
#include "tests/drivers/lost_disk.h"
#include "tests/drivers/positions.h"

using namespace longshore::test;

TEST_CASE("GCP PD: a volume's whole life") { check_whole_life(gcp_pd().front(), loop_nodes()); }

TEST_CASE("GCP PD: the agent is killed between every two calls", "[thorough]") {
  check_kills_between_calls(gcp_pd().front(), loop_nodes());
}

TEST_CASE(
    "GCP PD's fallback: a volume's whole life, and the agent is killed between every two calls",
    "[thorough]") {
  check_whole_life(gcp_pd().back(), loop_nodes());
  check_kills_between_calls(gcp_pd().back(), loop_nodes());
}

TEST_CASE("GCP PD: the driver restarts before the first call of each row") {
  for (const Driver& driver : gcp_pd()) check_restarts_at_each_row(driver, loop_nodes());
}

TEST_CASE("GCP PD: the driver restarts between any two calls", "[thorough]") {
  check_driver_restarts(gcp_pd(), loop_nodes());
}

TEST_CASE("GCP PD: the agent is killed before every answer", "[plain][thorough]") {
  check_lost_answers(gcp_pd(), loop_nodes());
}

TEST_CASE("GCP PD: the agent is killed during every call", "[plain][thorough]") {
  check_kills_during_calls(gcp_pd(), loop_nodes());
}

TEST_CASE("GCP PD: a volume whose disk was pulled out is unpublished and unstaged") {
  for (const Driver& driver : gcp_pd()) check_lost_disk(driver, loop_nodes());
}
