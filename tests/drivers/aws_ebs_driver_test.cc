#include <catch2/catch.hpp>

#include "tests/drivers/drivers.h"
#include "tests/drivers/loop_node.h"
#include "tests/drivers/lost_disk.h"
#include "tests/drivers/positions.h"

using namespace longshore::test;

TEST_CASE("AWS EBS: a volume's whole life") { check_whole_life(aws_ebs().front(), loop_nodes()); }

TEST_CASE("AWS EBS: the agent is killed between every two calls", "[thorough]") {
  check_kills_between_calls(aws_ebs().front(), loop_nodes());
}

TEST_CASE("AWS EBS: the driver restarts before the first call of each row") {
  check_restarts_at_each_row(aws_ebs().front(), loop_nodes());
}

TEST_CASE("AWS EBS: the driver restarts between any two calls", "[thorough]") {
  check_driver_restarts(aws_ebs(), loop_nodes());
}

TEST_CASE("AWS EBS: the agent is killed before every answer", "[plain][thorough]") {
  check_lost_answers(aws_ebs(), loop_nodes());
}

TEST_CASE("AWS EBS: the agent is killed during every call", "[plain][thorough]") {
  check_kills_during_calls(aws_ebs(), loop_nodes());
}

TEST_CASE("AWS EBS: a volume whose disk was pulled out is unpublished and unstaged") {
  for (const Driver& driver : aws_ebs()) check_lost_disk(driver, loop_nodes());
}
