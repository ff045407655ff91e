// Which calls of an instance run, which wait for their turn, and which are stuck.
//
//   closed ──open──► open ──begin_drain──► draining (takes only what its own calls wait for)
//                     ▲                      │ │
//                     └────────resume────────┘ └──close──► closed
//
//   a call: ──admit──► waits ──turn──► runs ──end──► forgotten
//              └────────▲───────────────▲ ├──stick──► is stuck: counts apart, until its end
//                       └────wait_again───┤
//                                         └──leave──► is open, if it is long_running: its handler
//                                                     has returned, it holds no thread and may get
//                                                     stuck
//
// Calls of one bulkhead (bulkheads.h) take a share of the places only; more wait behind these. A
// call's bulkhead is its object, until its module names another, which it does when it runs
// already: where that one is full, the module gives the call back untouched, and it waits again.
//
// Callers take turns, for the places and behind each bulkhead (fair_call_queue.h).
//
// Threads: any. Owner: an instance. No lock is held while calls are run.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "loader/bulkheads.h"
#include "loader/call_record.h"
#include "loader/fair_call_queue.h"
#include "loader/instance_options.h"
#include "loader/lifecycle.h"
#include "longshore/result.hpp"
#include "router/call.h"

namespace longshore::loader {

class Admission {
 public:
  // Both outlive it.
  Admission(const InstanceOptions& options, const Lifecycle& lifecycle)
      : options_(options), lifecycle_(lifecycle), bulkheads_(options) {}

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

  // What an admitted call does: it runs now, waits for its turn, or had ended before it was
  // admitted.
  enum class Place { kRuns, kWaits, kIsOver };
  // `target`: whose calls these are. An error refuses the call, and nothing is known of it.
  Result<Place> admit(const std::shared_ptr<router::Call>& call, const router::Target& target);
  // A call was refused before it came here.
  void count_refused();
  // One that has waited.
  struct Turn {
    std::shared_ptr<router::Call> call;  // null: there is none, or another thread starts them
    bool is_hopeless = false;            // its bulkhead is: it is to end. Otherwise it is to run.
    bool was_given_back = false;
  };
  // Makes this thread the only one that starts what waits, until either gives no call.
  Turn first_turn();
  Turn next_turn();

  // The call is over. True: others wait and may run now.
  bool end(const router::Call& call, bool well);
  // The call is long past its deadline. kReplaced: the thread of the pool that it holds is given up
  // for good, and another is to take its place.
  enum class Stuck { kNo, kYes, kReplaced };
  Stuck stick(const router::Call& call);
  // Says what the call would hang on, if not its object. Only kEntered lets it go on. kWaits: its
  // module is to give it back, for `wait_again`. kRefused: it is refused already, or as many calls
  // are stuck as may be.
  enum class Entry { kEntered, kRefused, kIsCrowded, kWaits };
  struct Entered {
    Entry entry = Entry::kEntered;
    bool others_may_run = false;  // in the share that the call has left
  };
  Entered set_bulkhead(const router::Call& call, std::string_view key);
  // The call was given back by its module, which did nothing for it.
  void wait_again(const std::shared_ptr<router::Call>& call);
  // The call waits elsewhere, in its module's process, behind this bulkhead: its place is for
  // others until it has a turn there.
  void give_up_place(const router::Call& call, std::string_view key);
  void take_place_again(const router::Call& call);
  // The bulkhead behind which the call waits, or has waited before it could run; empty: none.
  std::string waits_behind(const router::Call& call) const;
  Error crowded(const router::Call& call, std::string_view key) const;

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
  enum class Door { kClosed, kOpen, kOnlyNested };

  using Record = CallRecord;

  // All locked.
  static Record* record_of(const router::Call& call);
  Record* live_record_of(const router::Call& call) const;  // not over, and not stuck
  Record& add(const router::Call& call, Bulkhead* bulkhead);
  void forget(const router::Call& call);
  void move(Record& record, Where to);
  FairCallQueue* queue_of(const Record& record);
  void queue(Record& record, Where where, std::shared_ptr<router::Call> call);
  std::shared_ptr<router::Call> leave_queue(Record& record);
  size_t number(Where where) const { return numbers_[static_cast<size_t>(where)]; }
  size_t running() const { return number(Where::kRuns); }
  size_t begun() const;  // that the module has, in whatever way
  size_t queued() const;
  bool may_turn() const { return !waiting_.empty() || !hopeless_.empty(); }
  Turn turn();
  size_t concurrency_limit() const;
  bool is_idle() const;
  bool is_full() const;
  bool may_wait(const router::Call& call) const;
  size_t most_replaced() const;
  void hold(Record& record, Bulkhead* bulkhead);
  void let_go(Record& record);
  void count(Record& record);
  void stop_counting(Record& record);
  bool may_run(const Record& record) const;
  bool may_wait_behind(const Bulkhead& bulkhead, const router::Call& call) const;
  void wait_behind(Record& record, std::shared_ptr<router::Call> call);
  void turn_to(Record& record, Bulkhead& next);
  Bulkhead* turn_from_next(Record& record);
  void queue_again(Record& record, std::shared_ptr<router::Call> call);
  std::string why_degraded() const;
  Error hopeless(const router::Call& call) const;
  Error refuse_for_door(const router::Call& call) const;
  Error refuse_for_number(const router::Call& call) const;
  Error refuse_for_streams(const router::Call& call) const;

  const InstanceOptions& options_;
  const Lifecycle& lifecycle_;
  std::atomic<bool> has_moved_{false};

  mutable std::mutex mutex_;
  std::condition_variable changed_;  // where somebody may wait for an end
  Door door_ = Door::kClosed;
  router::Clock::time_point drain_end_ = router::Clock::time_point::max();
  std::vector<std::unique_ptr<router::TargetRecord>> spare_;  // records for calls to come
  std::array<size_t, kPlaces> numbers_{};                     // of calls, by where they are
  FairCallQueue waiting_;                                     // for a place of the module's
  CallQueue hopeless_;
  bool is_starting_ = false;  // a thread goes through the turns
  size_t long_running_ = 0;   // calls of such methods: those that wait, run and are open
  size_t stuck_ = 0;
  size_t stuck_running_ = 0;  // of the running ones
  size_t lost_threads_ = 0;   // of the pool, that others stand in for
  Bulkheads bulkheads_;
  size_t coming_ = 0;       // that run, and are told to wait behind a bulkhead
  size_t unaccounted_ = 0;  // bytes of calls in queues
  uint64_t total_ = 0;
  uint64_t failed_ = 0;
};

}  // namespace longshore::loader
