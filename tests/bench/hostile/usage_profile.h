// When an attack has cost how much processor time: of the thread that attacks, and of the agent.
//
// Threads: one of its own, as long as it lives.
#pragma once

#include <sys/types.h>
#include <time.h>

#include <atomic>
#include <thread>
#include <vector>

namespace longshore::hostile_clients {

// Of a few milliseconds, in seconds.
struct Usage {
  double wall = 0;
  double attacker = 0;
  double agent = 0;
};

// Of the calling thread, which outlives whoever asks.
double thread_seconds();

class UsageProfile {
 public:
  // `agent`, and the calling thread, from now on.
  explicit UsageProfile(pid_t agent);
  ~UsageProfile();
  UsageProfile(const UsageProfile&) = delete;
  UsageProfile& operator=(const UsageProfile&) = delete;

  // What there was until now, one interval after the other.
  std::vector<Usage> end();

 private:
  void look_until_told();

  clockid_t attacker_{};
  clockid_t agent_{};
  std::vector<Usage> intervals_;
  std::atomic<bool> ends_ = false;
  std::thread thread_;
};

}  // namespace longshore::hostile_clients
