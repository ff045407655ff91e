// A node of a test's own for the disk and volume groups: loop disks, a directory to mount in, and
// the configuration of an agent that serves exactly these disks and nothing else.
//
// For programs that run contained (contained.cc): the agent is their child and so shares the mount
// namespace in which everything but the scratch directory is read-only.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "support/linux/mount_table.h"
#include "tests/support/agent_process.h"
#include "tests/support/byte_units.h"
#include "tests/support/loop_disk.h"
#include "tests/support/may_unmount.h"
#include "tests/support/test_client.h"
#include "tests/support/writable_node.h"

namespace longshore::test {

struct DiskNodeSetup {
  size_t disks = 1;
  uint64_t bytes = 128 * kMebibyte;
  std::string first_file = {};      // of that many bytes, behind the first disk; "": one of its own
  std::string filesystem = "ext4";  // what FormatVolume makes
  std::string mkfs_directory = "/usr/sbin";
  // Lines of [modules.filesystem]; that group is served where there are any.
  std::string files = {};
  std::string volumes = {};  // further lines of [modules.volume]
  std::string more = {};     // further tables
  bool isolated = false;     // each module in a process of its own, started again whenever it ends
};

// Owner: outlives the agents that run on it. One at a time in a program. Threads: what is const
// from any.
class DiskNode {
 public:
  explicit DiskNode(const DiskNodeSetup& setup = {});
  DiskNode(const DiskNode&) = delete;
  DiskNode& operator=(const DiskNode&) = delete;
  // Unmounts what is left.
  ~DiskNode();

  // A filesystem that can grow while this program is root here, or "": ext4 asks for
  // CAP_SYS_RESOURCE, which containers lack. btrfs grows to nothing below 256 MiB.
  static std::string growing_filesystem();

  const AgentDirectory& directory() const { return directory_; }
  LoopDisk& disk(size_t place = 0) { return disks_.at(place); }
  const LoopDisk& disk(size_t place = 0) const { return disks_.at(place); }
  size_t disks() const { return disks_.size(); }

  // "volume", "v1": where that version is served.
  std::string socket(const std::string& group, const std::string& version) const;

  // An empty directory within the allowed root.
  std::string make_target(const std::string& name) const;

  // What is mounted below the allowed root, in the order of the table.
  std::vector<support::Mount> mounts() const;
  // All of them, used or not.
  void unmount_all() const;

  // The one partition of a disk.
  std::string partition_node(size_t place = 0) const { return disk(place).node() + "p1"; }
  // The UUID of the filesystem on it, by its superblock. Throws if there is none.
  std::string filesystem_uuid(size_t place = 0) const;

 private:
  const std::string run_;  // short: the paths of sockets may have 107 bytes
  AgentDirectory directory_;
  std::deque<LoopDisk> disks_;
  std::deque<WritableNode> writable_nodes_;
};

// A client of both groups in the version v1, on connections of its own. Threads: one.
class DiskClient {
 public:
  using Called = std::shared_ptr<Answer>;

  // Throws when nobody listens.
  explicit DiskClient(const DiskNode& node)
      : disks_(node.socket("disk", "v1")), volumes_(node.socket("volume", "v1")) {}

  Called partition(uint32_t disk);
  Called set_online(uint32_t disk, bool online);
  Called list(uint32_t disk);
  Called is_formatted(const std::string& id);
  Called format(const std::string& id);
  Called mount(const std::string& id, const std::string& target);
  Called unmount(const std::string& id, const std::string& target);
  Called resize(const std::string& id, uint64_t bytes);
  Called stats(const std::string& id);
  Called flush(const std::string& id);

  TestClient& volumes() { return volumes_; }
  // Whether the agent has ended since, or does so in a moment.
  bool await_closed();

 private:
  TestClient disks_, volumes_;
};

// The ids in an answer to list().
std::vector<std::string> ids_in(const DiskClient::Called& answer);

}  // namespace longshore::test
