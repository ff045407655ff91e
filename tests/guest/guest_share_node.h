// The node of a driver of shares in the guest, with a folder of the file server's as the volume:
// see
// ../drivers/driver_node.h.
//
// Threads: one. One at a time in a guest.
#pragma once

#include <string>

#include "tests/drivers/linux/node_files_linux.h"
#include "tests/drivers/positions.h"
#include "tests/guest/file_server.h"
#include "tests/guest/guest_agent.h"

namespace longshore::test {

class GuestShareNode final : public DriverNode {
 public:
  GuestShareNode();
  // Nothing stays mapped.
  ~GuestShareNode() override;

  std::string socket(const std::string& group, const std::string& version) const override {
    return agent_.socket(group, version);
  }
  std::string root() const override { return agent_.root(); }
  NodeFiles& files() override { return files_; }
  void kill_and_start_agent() override { agent_.kill_and_start_again(); }

  void begin() override;
  VolumeContext volume() const override;
  bool is_mapped() const override;
  std::string log() const override { return agent_.log(); }

 private:
  void remove_mapping();

  FileServer server_;
  GuestAgent agent_;
  LinuxFiles files_;
};

Nodes share_nodes();

}  // namespace longshore::test
