// Reloads of an agent that is attacked meanwhile: each replaces the module "echo" by another one.
//
// Threads: one of its own, as long as it lives.
#pragma once

#include <atomic>
#include <string>
#include <thread>

#include "tests/hostile_clients/attacked_agent.h"

namespace longshore::hostile_clients {

class Reloads {
 public:
  // Every tenth of a second, or as soon after as the agent is done with the last one.
  explicit Reloads(AttackedAgent& agent);
  ~Reloads();
  Reloads(const Reloads&) = delete;
  Reloads& operator=(const Reloads&) = delete;

  // Ends them once there have been so many; false when those do not come in time.
  bool end_after(int count);
  // Whether "echo" is the one that the last of them was for.
  bool is_last_served() const;

 private:
  void reload_until_told();
  void end();

  AttackedAgent& agent_;
  std::atomic<int> done_ = 0;
  std::atomic<bool> ends_ = false;
  std::thread thread_;
};

}  // namespace longshore::hostile_clients
