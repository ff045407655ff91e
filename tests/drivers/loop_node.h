// A node with one loop disk, for programs that run contained.
#pragma once

#include <optional>
#include <string>

#include "tests/drivers/driver_node.h"
#include "tests/drivers/linux/node_files_linux.h"
#include "tests/drivers/positions.h"
#include "tests/support/agent_process.h"
#include "tests/support/disk_node.h"

namespace longshore::test {

class LoopNode final : public DriverNode {
 public:
  LoopNode(const std::string& filesystem, uint64_t bytes);

  std::string socket(const std::string& group, const std::string& version) const override {
    return node_.socket(group, version);
  }
  std::string root() const override { return node_.directory().root(); }
  std::string log() const override { return node_.directory().log(); }
  NodeFiles& files() override { return files_; }
  void kill_and_start_agent() override;

  void begin() override;
  VolumeContext volume() const override;
  int64_t bytes() const override { return static_cast<int64_t>(bytes_); }
  bool can_grow() const override { return grows_; }
  void grow(int64_t bytes) override;
  // What it is partitioned into is not there any more. A loop device that is in use cannot go.
  void lose_disk() override;

 private:
  void start_agent();

  const uint64_t first_bytes_;
  uint64_t bytes_;
  const bool grows_;
  DiskNode node_;
  LinuxFiles files_;
  std::optional<AgentProcess> agent_;
};

// ext4, and where that does not grow what does.
Nodes loop_nodes();

}  // namespace longshore::test
