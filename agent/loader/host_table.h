// The `longshore_host` that one instance gets, and the way from its C functions back to us.
//
// A module may keep the table and call it at any time, even after its instance has been destroyed.
// So a table lives until the process ends, in its image, and only its link to the instance's side
// comes and goes: without it every function answers STALE or REFUSED. Threads: any.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "longshore/abi.h"

namespace longshore::loader {

class HostSide;

class HostTable {
 public:
  explicit HostTable(std::string instance_name);
  HostTable(const HostTable&) = delete;
  HostTable& operator=(const HostTable&) = delete;

  const longshore_host* table() const { return &table_; }
  const std::string& instance_name() const { return instance_name_; }

  void connect(std::weak_ptr<HostSide> side);
  void disconnect();

 private:
  friend struct HostFunctions;
  std::shared_ptr<HostSide> side() const;

  const std::string instance_name_;
  const longshore_host table_;
  mutable std::mutex mutex_;
  std::weak_ptr<HostSide> side_;
};

// For modules of the agent's own that run another's code elsewhere: see HostSide.
void set_waiting(const longshore_host* host, longshore_call call, std::string_view bulkhead);

}  // namespace longshore::loader
