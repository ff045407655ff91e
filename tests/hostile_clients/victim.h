// A driver that calls all the time on a socket of its own, while somebody attacks another one.
//
// Threads: one of its own from its making until `end`.
#pragma once

#include <atomic>
#include <cstddef>
#include <string>
#include <thread>
#include <vector>

#include "tests/hostile_clients/attacked_agent.h"

namespace longshore::hostile_clients {

struct VictimReport {
  size_t answered = 0;  // OK
  size_t failed = 0;
  size_t refused = 0;  // of those, with RESOURCE_EXHAUSTED
  std::string first_failure;
  std::vector<double> milliseconds;  // of each call that was answered

  double percentile(double share) const;
};

class Victim {
 public:
  // PathExists, one call after the other, each tenth on a new connection; and, if `asks_control`,
  // GetStatus on the control socket with every twentieth. At least one round.
  explicit Victim(const AttackedAgent& agent, bool asks_control = true);
  ~Victim();
  Victim(const Victim&) = delete;
  Victim& operator=(const Victim&) = delete;

  // Whether one of its calls was answered yet.
  bool is_served() const { return served_; }
  // Ends its calls and connections.
  VictimReport end();

 private:
  void call_until_told();

  const std::string socket_;
  const std::string control_;  // empty: it does not ask there
  const std::string path_;
  VictimReport report_;
  std::atomic<bool> served_ = false;
  std::atomic<bool> ends_ = false;
  std::thread thread_;
};

}  // namespace longshore::hostile_clients
