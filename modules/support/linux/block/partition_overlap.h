// Whether a partition shares sectors with another one of its table. Such a table is damaged, and
// what is written to the one destroys what is on the other.
//
// Threads: any.
#pragma once

#include <optional>
#include <vector>

#include "support/linux/block/device_content.h"

namespace longshore::block {

// The first of the table's partitions that the partition overlaps. One that lies in the other, as a
// logical one in its container, overlaps it not.
std::optional<TablePartition> overlapped_by(const TablePartition& partition,
                                            const std::vector<TablePartition>& table);

}  // namespace longshore::block
