// What an agent uses while it is attacked: looked at again and again.
//
// Threads: one of its own, as long as it lives.
#pragma once

#include <atomic>
#include <cstddef>
#include <thread>

#include "tests/hostile_clients/attacked_system.h"

namespace longshore::hostile_clients {

// `own_bytes` of an agent, and of all the processes of its modules.
struct HeldBytes {
  size_t agent = 0;
  size_t modules = 0;
};
HeldBytes held_by(ProcessId agent);

class AgentWatch {
 public:
  explicit AgentWatch(ProcessId process);
  ~AgentWatch();
  AgentWatch(const AgentWatch&) = delete;
  AgentWatch& operator=(const AgentWatch&) = delete;

  const HeldBytes& start() const { return start_; }
  // The most above the start so far, of the agent and of its modules' processes.
  size_t growth_bytes() const;
  size_t growth_of_modules_bytes() const;
  double processor_seconds_used() const;

 private:
  const ProcessId process_;
  const HeldBytes start_;
  const double start_seconds_;
  std::atomic<size_t> most_bytes_;
  std::atomic<size_t> most_bytes_of_modules_;
  std::atomic<bool> ends_ = false;
  std::thread thread_;
};

}  // namespace longshore::hostile_clients
