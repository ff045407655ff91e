// Which partitions of a table overlap.
#include "support/linux/block/partition_overlap.h"

#include <catch2/catch.hpp>
#include <vector>

namespace longshore::block {
namespace {

// The number of the partition that the one of this number overlaps; 0: none.
uint32_t overlapped(uint32_t number, const std::vector<TablePartition>& table) {
  const auto other = overlapped_by(table.at(number - 1), table);
  return other ? other->number : 0;
}

TEST_CASE("partitions that share a sector overlap, in either order") {
  const std::vector<TablePartition> table = {
      {.number = 1, .start = 100, .sectors = 50},
      {.number = 2, .start = 149, .sectors = 50},
      {.number = 3, .start = 199, .sectors = 100},
      {.number = 4, .start = 250, .sectors = 1},
  };
  CHECK(overlapped(1, table) == 2);
  CHECK(overlapped(2, table) == 1);
  CHECK(overlapped(3, table) == 4);
  CHECK(overlapped(4, table) == 3);
}

TEST_CASE("partitions side by side, and those that lie in another one, do not overlap") {
  const std::vector<TablePartition> table = {
      {.number = 1, .start = 100, .sectors = 50},
      {.number = 2, .start = 150, .sectors = 100, .is_private = true},
      {.number = 3, .start = 151, .sectors = 10, .container = 2},
      {.number = 4, .start = 161, .sectors = 89, .container = 2},
  };
  for (uint32_t number = 1; number <= 4; ++number) CHECK(overlapped(number, table) == 0);
}

TEST_CASE("logical partitions overlap each other, and what reaches into their container it") {
  const std::vector<TablePartition> table = {
      {.number = 1, .start = 100, .sectors = 51},
      {.number = 2, .start = 150, .sectors = 100, .is_private = true},
      {.number = 3, .start = 160, .sectors = 11, .container = 2},
      {.number = 4, .start = 170, .sectors = 80, .container = 2},
  };
  CHECK(overlapped(1, table) == 2);
  CHECK(overlapped(3, table) == 4);
}

}  // namespace
}  // namespace longshore::block
