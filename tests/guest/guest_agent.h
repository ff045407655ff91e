// The agent in the guest, with the modules of all six groups on what the guest's kernel has, and
// its clients on their sockets.
//
// Threads: one, except where a client of its own is taken for another thread.
#pragma once

#include <catch2/catch.hpp>
#include <optional>
#include <string>

#include "longshore/result.hpp"
#include "tests/guest/group_clients.h"
#include "tests/support/agent_process.h"
#include "tests/support/eventually.h"

namespace longshore::test {

constexpr int64_t kMebibyte = int64_t{1} << 20;

struct GuestAgentSetup {
  std::string filesystem = "ext4";  // what FormatVolume makes
  std::string settings = {};        // more lines of the configuration
  std::string smb = {};             // and of its part for the module smb
  std::string disk = {};            // and for the module disk
  std::string files = {};           // and for the module filesystem
  std::string volume = {};          // and for the module volume
};

class GuestAgent : public GroupClients {
 public:
  explicit GuestAgent(const GuestAgentSetup& setup = {});

  // Below it callers may mount and link.
  std::string root() const { return directory_.root(); }
  // Where shares are mounted.
  std::string mappings() const { return directory_ / "mappings"; }
  std::string log() const { return directory_.log(); }
  pid_t process() const { return process_->id(); }

  // Ends it as a power failure would, and starts it again on the same folders.
  void kill_and_start_again();
  void stop() { process_.reset(); }
  // SIGTERM; its exit status, -1 when it goes on after a minute.
  int end_in_order();
  // On the same folders, after its end.
  void start_again();

 private:
  AgentDirectory directory_;
  std::optional<AgentProcess> process_;
};

}  // namespace longshore::test
