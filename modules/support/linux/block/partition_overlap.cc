#include "support/linux/block/partition_overlap.h"

#include <algorithm>

namespace longshore::block {

std::optional<TablePartition> overlapped_by(const TablePartition& partition,
                                            const std::vector<TablePartition>& table) {
  const auto found = std::ranges::find_if(table, [&](const TablePartition& other) {
    if (other.number == partition.number) return false;
    if (other.number == partition.container || other.container == partition.number) return false;
    return other.start < partition.start + partition.sectors &&
           partition.start < other.start + other.sectors;
  });
  return found == table.end() ? std::nullopt : std::optional(*found);
}

}  // namespace longshore::block
