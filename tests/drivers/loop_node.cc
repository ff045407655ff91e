#include "tests/drivers/loop_node.h"

#include <signal.h>

#include <filesystem>
#include <memory>

#include "tests/support/byte_units.h"
#include "tests/support/disk_content.h"
#include "tests/support/require.h"

namespace longshore::test {

namespace fs = std::filesystem;

LoopNode::LoopNode(const std::string& filesystem, uint64_t bytes)
    : first_bytes_(bytes),
      bytes_(bytes),
      grows_(filesystem == DiskNode::growing_filesystem()),
      node_({.bytes = bytes,
             .filesystem = filesystem,
             .files = kMayUnmount,
             .more = "[modules.system]\n"}) {
  start_agent();
}

void LoopNode::start_agent() {
  agent_.emplace(node_.directory());
  require(agent_->serves(), "the agent does not start: " + log());
}

void LoopNode::kill_and_start_agent() {
  agent_->signal(SIGKILL);
  require(agent_->wait() == 128 + SIGKILL, "the agent has ended before it was killed");
  agent_.reset();
  start_agent();
}

// A life that failed may have left anything.
void LoopNode::begin() {
  node_.unmount_all();
  for (const auto& entry : fs::directory_iterator(root())) fs::remove_all(entry);
  bytes_ = first_bytes_;
  node_.disk().make_blank(bytes_);
}

VolumeContext LoopNode::volume() const { return {.disk = {.number = node_.disk().number()}}; }

void LoopNode::grow(int64_t bytes) {
  bytes_ = static_cast<uint64_t>(bytes);
  node_.disk().grow(bytes_);
}

void LoopNode::lose_disk() { write_bytes(node_.disk().node(), 0, std::string(512, '\0')); }

Nodes loop_nodes() {
  // It is made most quickly.
  Nodes nodes = {.usual = [] { return std::make_unique<LoopNode>("ext4", 64 * kMebibyte); }};
  const std::string growing = DiskNode::growing_filesystem();
  if (!growing.empty() && growing != "ext4") {
    nodes.growing = [growing] {
      return std::make_unique<LoopNode>(growing, (growing == "btrfs" ? 256 : 64) * kMebibyte);
    };
  }
  return nodes;
}

}  // namespace longshore::test
