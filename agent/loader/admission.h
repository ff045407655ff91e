// Which calls of an instance run, which wait for their turn, and which are stuck.
//
//   closed ──open──► open ──begin_drain──► draining (takes only what its own calls wait for)
//                     ▲                      │ │
//                     └────────resume────────┘ └──close──► closed
//
//   a call: ──admit──► waits ──next──► runs ──end──► forgotten
//              └────────────────────────▲ ├──stick──► is stuck: counts apart, until its end
//                                         └──leave──► is open, if it is long_running: its handler
//                                         has
//                                                     returned; holds no thread; may get stuck
//
// Threads: any. Owner: an instance. No lock is held while calls are run.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>

#include "loader/instance_options.h"
#include "loader/lifecycle.h"
#include "longshore/result.hpp"
#include "router/call.h"

namespace longshore::loader {

class Admission {
 public:
  // Both outlive it.
  Admission(const InstanceOptions& options, const Lifecycle& lifecycle)
      : options_(options), lifecycle_(lifecycle) {}

  void open();
  // Takes only what its own calls wait for from now on.
  void begin_drain();
  // Waits for the calls that are here, but not for those that are stuck. False: the time is over.
  bool finish_drain(router::Clock::time_point deadline);
  // Has a drain that runs, or comes, end by then.
  void hurry(router::Clock::time_point deadline);
  void resume();
  void close();
  // Whether the routes lead elsewhere, since it was drained.
  bool has_moved() const { return has_moved_; }

  // What an admitted call does: it runs now, waits for `next`, or had ended before it was admitted.
  enum class Place { kRuns, kWaits, kIsOver };
  // `target`: whose calls these are. An error refuses the call, and nothing is known of it.
  Result<Place> admit(const std::shared_ptr<router::Call>& call, const router::Target& target);
  // Makes this thread the only one that starts what waits, until `next` gives null.
  bool begin_starting();
  std::shared_ptr<router::Call> next();

  // The call is over. True: others wait and may run now.
  bool end(const router::Call& call, bool well);
  // The call is long past its deadline. kReplaced: the thread of the pool that it holds is given up
  // for good, and another is to take its place.
  enum class Stuck { kNo, kYes, kReplaced };
  Stuck stick(const router::Call& call);
  // What the call would hang on, if not its object. False: as many are stuck for that as may be.
  bool set_bulkhead(const router::Call& call, std::string_view key);

  // Around the time that a thread of the pool is in the module for a call. False: it is over.
  bool enter_thread(const router::Call& call);
  // A thread has come back from the module: one of the pool, or any thread for a long_running call.
  struct Left {
    bool thread_was_lost = false;  // it was given up meanwhile
    bool others_may_run = false;
  };
  Left leave(const router::Call& call);

  enum class StuckCalls { kAwaited, kLeft };
  // Until no call is here. False: the time is over.
  bool wait_until_empty(router::Clock::time_point deadline, StuckCalls stuck);

  struct Figures {
    uint64_t running = 0;  // open streams too
    uint64_t streams = 0;  // long_running calls: those that wait, run and are open
    uint64_t waiting = 0;
    uint64_t total = 0;
    uint64_t failed = 0;
    uint64_t stuck = 0;
    std::string degraded;  // why it serves, but badly; empty: it does not
  };
  Figures figures() const;

 private:
  struct Record {
    bool runs = false;
    bool is_open = false;  // runs, but does not count there
    bool is_stuck = false;
    bool has_ended = false;   // while a thread is still in it
    bool has_thread = false;  // of the pool
    bool thread_is_lost = false;
    std::string bulkhead;  // empty: the call's object
  };
  enum class Door { kClosed, kOpen, kOnlyNested };

  // All locked.
  Record& add(const router::Call& call);
  size_t concurrency_limit() const;
  bool is_idle() const;
  bool is_bulkhead_full(const std::string& key) const;
  static std::string bulkhead_of(const router::Call& call, const Record& record);
  std::string why_degraded() const;
  Error refuse_for_door(const router::Call& call) const;
  Error refuse_for_stuck(const router::Call& call) const;
  Error refuse_for_number(const router::Call& call) const;
  Error refuse_for_streams(const router::Call& call) const;

  const InstanceOptions& options_;
  const Lifecycle& lifecycle_;
  std::atomic<bool> has_moved_{false};

  mutable std::mutex mutex_;
  std::condition_variable changed_;  // where somebody may wait for an end
  Door door_ = Door::kClosed;
  router::Clock::time_point drain_end_ = router::Clock::time_point::max();
  std::unordered_map<const router::Call*, Record> records_;
  std::deque<std::shared_ptr<router::Call>> waiting_;
  bool is_starting_ = false;  // a thread goes through `next`
  size_t running_ = 0;
  size_t open_ = 0;
  size_t long_running_ = 0;  // calls of such methods: those that wait, run and are open
  size_t stuck_ = 0;
  size_t stuck_running_ = 0;  // of the running ones
  size_t lost_threads_ = 0;   // of the pool, that others stand in for
  std::multiset<std::string> stuck_bulkheads_;
  uint64_t total_ = 0;
  uint64_t failed_ = 0;
};

}  // namespace longshore::loader
