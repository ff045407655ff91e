// The node of a driver on Windows: longshored.exe at its pipes, with the module longshore-node, in
// which a disk and a share are made up. See ../driver_node.h.
//
// Threads: one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "tests/drivers/driver_node.h"
#include "tests/drivers/positions.h"
#include "tests/support/test_client.h"
#include "tests/windows/agent_program.h"

namespace longshore::test {

// The node's files as node.v1.Node sees them.
class PipeFiles final : public NodeFiles {
 public:
  explicit PipeFiles(TestClient& node) : node_(node) {}

  bool exists(const std::string& path) override;
  std::optional<std::string> link_text(const std::string& path) override;
  bool is_mount_point(const std::string& path) override;
  bool is_directory(const std::string& path) override;
  bool can_be_listed(const std::string& path) override { return is_directory(path); }
  bool is_empty(const std::string& directory) override;
  std::string read(const std::string& path) override;
  int64_t filesystem_bytes(const std::string& path) override;
  void make_directories(const std::string& path) override;
  void write(const std::string& path, const std::string& text) override;
  bool remove(const std::string& path) override;

 private:
  TestClient& node_;
};

// An agent that serves, for one node after another: each begins with everything as new.
struct PipeAgent {
  PipeAgent();

  const AgentFolder folder;
  const AgentProgram program;
  TestClient node;
};

class PipeNode final : public DriverNode {
 public:
  // A driver of shares asks for nothing of the disk.
  PipeNode(std::shared_ptr<PipeAgent> agent, bool has_growing_disk);

  std::string socket(const std::string& group, const std::string& version) const override {
    return agent_->folder.csi_proxy_pipe(group + "-" + version);
  }
  std::string root() const override;
  NodeFiles& files() override { return files_; }
  // The node is memory of the agent's: no driver here comes to it.
  void kill_and_start_agent() override;

  void begin() override;
  VolumeContext volume() const override;
  bool is_mapped() const override;
  int64_t bytes() const override { return bytes_; }
  bool can_grow() const override { return has_growing_disk_; }
  void grow(int64_t bytes) override;
  void lose_disk() override;
  std::string log() const override { return agent_->folder.log().substr(log_before_); }

 private:
  const std::shared_ptr<PipeAgent> agent_;
  const bool has_growing_disk_;
  const size_t log_before_;
  PipeFiles files_{agent_->node};
  int64_t bytes_ = 0;
};

// Each with an agent of its own.
Nodes pipe_nodes_with_disk();
Nodes pipe_nodes_with_share();

}  // namespace longshore::test
