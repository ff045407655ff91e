// The pools whose calls have kept the leader of the I/O threads too long, and how lately.
//
// Threads: the leader's. Owner: IoThreads.
#pragma once

#include <algorithm>
#include <vector>

#include "router/timers.h"
#include "router/worker_pool.h"

namespace longshore::endpoint {

class LatePools {
 public:
  explicit LatePools(router::Clock::duration memory) : memory_(memory) {}

  // A call of this pool was late: the second within the time makes the pool be used for as long.
  void add(const router::WorkerPool* pool) {
    const router::Clock::time_point now = router::Clock::now();
    std::erase_if(all_, [&](const Late& each) { return now >= each.remembered_until; });
    const auto found = find(pool);
    if (found == all_.end()) {
      all_.push_back({pool, now + memory_, false});
    } else {
      *found = {pool, now + memory_, true};
    }
  }

  // Whether calls are to go to this pool at once.
  bool contains(const router::WorkerPool* pool) {
    if (all_.empty()) return false;
    const auto found = find(pool);
    return found != all_.end() && found->is_again && router::Clock::now() < found->remembered_until;
  }

 private:
  struct Late {
    const router::WorkerPool* pool;  // compared only: it may be gone
    router::Clock::time_point remembered_until;
    bool is_again;
  };

  std::vector<Late>::iterator find(const router::WorkerPool* pool) {
    return std::find_if(all_.begin(), all_.end(),
                        [&](const Late& each) { return each.pool == pool; });
  }

  const router::Clock::duration memory_;
  std::vector<Late> all_;
};

}  // namespace longshore::endpoint
