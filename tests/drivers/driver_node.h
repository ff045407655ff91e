// The node that a driver runs on: an agent that can be killed, one disk or share, and the folders
// of a kubelet.
//
// Threads: one.
#pragma once

#include <cstdint>
#include <string>

#include "tests/drivers/driver.h"
#include "tests/drivers/node_files.h"

namespace longshore::test {

class DriverNode {
 public:
  virtual ~DriverNode() = default;

  // "volume", "v1": where that version is served.
  virtual std::string socket(const std::string& group, const std::string& version) const = 0;
  // Below it are the kubelet's folders.
  virtual std::string root() const = 0;
  virtual NodeFiles& files() = 0;
  // SIGKILL, and back again, serving, on the same folders.
  virtual void kill_and_start_agent() = 0;

  // The volume's disk or share, as it is when a life begins: blank.
  virtual void begin() = 0;
  virtual VolumeContext volume() const = 0;
  // Whether anything of the share is mapped.
  virtual bool is_mapped() const { return false; }
  // The disk's size. A larger one it can be given if both the machine and the filesystem can grow.
  virtual int64_t bytes() const { return 0; }
  virtual bool can_grow() const { return false; }
  virtual void grow(int64_t) {}
  // As if somebody pulled the disk out. Until begin().
  virtual void lose_disk() {}
  // Whether a disk may take longer to answer than the agent waits for it, because the machine is
  // busy with other things: the agent says UNAVAILABLE then, and the kubelet calls again.
  virtual bool may_be_slow() const { return false; }
  // What the agents have written so far.
  virtual std::string log() const = 0;
};

}  // namespace longshore::test
