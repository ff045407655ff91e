// What is on disks of which some may not answer.
//
// One that hangs is not waited for longer than `patience`, all such disks together: it is not
// readable then, and the others are. See scatter_gather.h.
//
// Threads: any number at once. Owner: on destruction it waits for disks that still hang.
#pragma once

#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include "support/linux/block/block_devices.h"
#include "support/linux/block/device_content.h"
#include "support/scatter_gather.h"

namespace longshore::volume {

struct DiskTable {
  std::vector<block::TablePartition> partitions;
  block::Content content;  // of the whole disk, if it has none
};

class DiskTables {
 public:
  DiskTables(const block::BlockDevices& devices, std::chrono::milliseconds patience);

  // Of each disk; nothing of those that cannot be read for the moment. What something is made of is
  // not read: its table is empty.
  std::vector<std::optional<DiskTable>> read(const std::vector<block::Disk>& disks);
  // The same, and what something is made of is read too.
  std::vector<std::optional<DiskTable>> read_held_too(const std::vector<block::Disk>& disks);

  // The same of one that is reachable, whatever is made of it.
  std::optional<DiskTable> read_one(const block::Disk& disk) {
    return std::move(tables_.gather({disk}).front());
  }
  // What the whole of it holds, also if that is a table.
  std::optional<block::Content> read_whole(const block::Disk& disk) {
    return std::move(contents_.gather({disk}).front());
  }

 private:
  // Into the places of the disks.
  void gather(const std::vector<block::Disk>& disks, const std::vector<size_t>& places,
              std::vector<std::optional<DiskTable>>& tables);

  const block::BlockDevices& devices_;
  support::ScatterGather<block::Disk, DiskTable> tables_;
  support::ScatterGather<block::Disk, block::Content> contents_;
};

}  // namespace longshore::volume
