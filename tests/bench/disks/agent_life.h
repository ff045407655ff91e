// The life of a volume by calls of csi-proxy's, over the agent's sockets.
#pragma once

#include <cstdint>
#include <string>

#include "tests/bench/disks/stopwatch.h"
#include "tests/support/agent_process.h"
#include "tests/support/loop_disk.h"
#include "tests/support/test_client.h"

namespace longshore::bench {

// The v1 sockets of both groups.
class DiskClient {
 public:
  explicit DiskClient(const test::AgentDirectory& directory);

  // The answer's bytes; throws what the agent says when it fails.
  std::string disk(const std::string& method, const std::string& request);
  std::string volume(const std::string& method, const std::string& request);

  // The first volume on the disk.
  std::string volume_on(uint32_t disk_number);

 private:
  test::TestClient disk_;
  test::TestClient volume_;
};

// What `[modules.disk]` and `[modules.volume]` have to say for these disks.
std::string configuration_for(const std::string& disk_names, const std::string& root,
                              const std::string& filesystem);

// The same steps as by commands. The volume is looked up in between, which is not counted.
void live_by_calls(DiskClient& client, test::LoopDisk& disk, const std::string& target,
                   uint64_t grown, Stopwatch& times);

}  // namespace longshore::bench
