// One call on its way through the agent.
//
//   queued ──begin──► running ──finish──► over
//      └──────────end_early───────────────▲
//                        │ (running: answered, but the slot stays until the module finishes)
//                        └──► running, answered ──finish──► over
//
// A running call that its module gives back untouched is queued again.
// A queued call may move to another target, while the module that it was for is replaced.
//
// The answer goes to the observer: messages, then exactly one outcome. It is given by whoever is
// first: the module, the deadline or the caller's cancellation. A module must finish a call even
// if it was cancelled; until then the call keeps its slot and its request's bytes. If these may
// hold a secret they are wiped with the call.
//
// Threads: any. Owner: shared by the call table (until over), the pool's queue and whoever handles
// it at the moment. No lock is held while observers or targets are called.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "longshore/abi.h"
#include "longshore/result.hpp"
#include "router/call_runner.h"
#include "router/caller.h"
#include "router/handle_table.h"
#include "router/method.h"
#include "router/outcome_recorder.h"
#include "router/target.h"
#include "router/timers.h"
#include "router/worker_pool.h"

namespace longshore::router {

// Who waits for the answer. Owner: shared by the call. Functions may be called on any thread, but
// one at a time as far as the module answers one at a time; `on_finish` may overtake a message
// when a deadline passes, and what comes after it is to be ignored.
class CallObserver {
 public:
  virtual ~CallObserver() = default;
  // A message of a stream. False: taken, but there is no room for more until Call::resume.
  virtual bool on_message(std::string message) = 0;
  // Asked where on_message said that there is no room: what the call ends with at once, because
  // there will be none.
  virtual std::optional<Error> refusal() const { return {}; }
  // The whole answer of a unary call that went well; stands for its message and its OK.
  virtual void on_response(std::string message) = 0;
  // The outcome, unless on_response told it.
  virtual void on_finish(StatusCode code, std::string text) = 0;
  // Nobody works at the call any more: it was finished, or ended before it began. Comes once, and
  // where a deadline has passed long after the outcome.
  virtual void on_over() {}
};

// Something that ends when its parent call is cancelled.
class Cancellable {
 public:
  virtual ~Cancellable() = default;
  virtual void cancel() = 0;
};

class Call final : public Work, public Timer, public Cancellable {
 public:
  static constexpr size_t kMaxObjectBytes = 512;
  static constexpr size_t kMaxWarningBytes = 1024;

  // What a call is made of; fixed from then on.
  struct Parts {
    std::shared_ptr<const Method> method;
    std::string request;
    std::shared_ptr<const Caller> caller;
    Clock::time_point started;  // when it came
    Clock::time_point deadline = Clock::time_point::max();
    bool deadline_is_configured = false;  // and not the caller's
    std::string request_id;
    std::shared_ptr<CallObserver> observer;
    std::shared_ptr<Target> target;  // the first
    size_t max_message_bytes = 0;
    CallRunner* runner = nullptr;
    uint64_t origin = 0;
    std::weak_ptr<Call> parent = {};  // that it is a part of
    OutcomeRecorder recorder = {};
  };

  Call(Parts parts, HandleTable<Call>& table, Timers& timers);
  ~Call() override;

  const Method& method() const { return *parts_.method; }
  std::string_view request() const { return parts_.request; }
  const Caller& caller() const { return *parts_.caller; }
  bool belongs_to(const Target& target) const { return target_ == &target; }
  // Whether a call of `target` waits for this one, directly or through others.
  bool is_nested_in(const Target& target) const;
  Clock::time_point deadline() const { return parts_.deadline; }
  const std::string& request_id() const { return parts_.request_id; }
  Clock::time_point started() const { return parts_.started; }
  // Whether it is in its target's hands, and not waiting for its turn.
  bool has_begun() const { return state_ != State::kQueued; }
  bool is_over() const { return state_ == State::kOver; }
  // The number under which the observer knows the call; of a nested call, its parent's. 0: none.
  uint64_t origin() const { return parts_.origin; }
  // 0 until it has entered the table.
  uint64_t handle() const { return handle_.load(std::memory_order_relaxed); }
  // Of the thread that the call came on; null where there is none, and once the call was given
  // back: what it waits for is slow. Lives as long as the router, or belongs to the observer.
  CallRunner* runner() const { return runner_.load(std::memory_order_relaxed); }
  // The object that the request names, cut, for logs; empty when the method names none.
  std::string object() const {
    Digits digits;
    return std::string(object(digits));
  }
  // The same without a copy: it lies in the request, or in `digits`.
  std::string_view object(Digits& digits) const {
    return find_object(request(), method(), digits).substr(0, kMaxObjectBytes);
  }

  // The place for what the target that has taken the call keeps of it, so that this need not be
  // looked for. The target's alone, which empties it, and guarded by its lock.
  std::unique_ptr<TargetRecord>& target_record() const { return target_record_; }

  // Enters the table, arms the deadline and hands the call to its target. False: the target has
  // moved, and the call waits for `move_to` or `refuse`.
  bool submit();

  // Hands a call that has not begun to another target, unless it is over. False: that has moved
  // too.
  bool move_to(std::shared_ptr<Target> target);

  // Ends a call that no target has taken. The observer is told unless it was told before.
  void refuse(const Error& error);

  // Of a running call: what its module finishes it with next is no outcome if it is UNAVAILABLE;
  // the call waits again then.
  void give_back();

  // Executes the call on its target, unless it was given up in the queue. What pool threads do.
  void run() override;

  // For the module. See longshore_host in abi.h.
  longshore_result state() const;
  longshore_result send(std::string_view message);
  // False: it was finished before.
  bool finish(StatusCode code, std::string text);

  // What an administrator has to know of the call, though it may go well: for its outcome in the
  // audit log and the figures. The first counts, cut.
  void warn(std::string_view text);

  // The caller's side: ends the wait. The observer is told `code` unless it was told before.
  void end_early(StatusCode code, std::string text);
  void cancel() override;

  // The observer has room again.
  void resume();

  // What the observer was told; meaningful once it was told.
  StatusCode outcome() const { return outcome_; }
  // Whether the module itself finished it with OK, though the observer may have been told otherwise
  // before. Meaningful once it is over.
  bool finished_well() const;
  std::string outcome_text() const;

  // Makes `child` end with this call. False when this call is cancelled already.
  bool adopt(const std::shared_ptr<Cancellable>& child);

  // The deadline, and after it the check for being stuck.
  void on_time() override;

 private:
  // Tells the observer, unless it was told before. What the call has asked for is not wanted then.
  void answer(StatusCode code, std::string text);
  void record(StatusCode code, const std::string& text, const std::string& warning,
              bool unfinished) const;
  bool is_stream() const { return method().server_streaming; }
  // Offers the call to its target. False: not taken, and the target has moved.
  bool hand_over();
  void arm_deadline();
  // Of a running call without a deadline, which nobody waits for any more: it has to end soon.
  void expect_end();
  // False: it was not given back, or nobody waits for it any more.
  bool wait_again();
  // Gives the slot back, after the state became `over`.
  void leave();
  using Children = std::vector<std::weak_ptr<Cancellable>>;
  static void cancel_all(const Children& children);

  Parts parts_;  // the request is wiped at the end, the rest never changes
  HandleTable<Call>& table_;
  Timers& timers_;
  std::atomic<Target*> target_;  // one of parts_.target and later_targets_
  std::atomic<CallRunner*> runner_;
  mutable std::unique_ptr<TargetRecord> target_record_;
  std::atomic<uint64_t> handle_{0};  // others may ask as soon as it is in the table

  mutable std::mutex mutex_;
  enum class State { kQueued, kRunning, kOver };
  std::atomic<State> state_{State::kQueued};  // written while locked
  bool answered_ = false;
  bool is_given_back_ = false;
  bool armed_ = false;  // written while locked, or when the state is over
  Clock::time_point stuck_at_ = Clock::time_point::max();  // if it is not over by then
  std::atomic<StatusCode> outcome_{StatusCode::kOk};
  bool finished_well_ = false;
  std::string outcome_text_;
  std::string warning_;
  bool sent_ = false;
  std::string unary_response_;   // until the module finishes
  bool full_ = false;            // the observer has no room
  bool wants_writable_ = false;  // a send was refused since
  Children children_;
  std::vector<std::shared_ptr<Target>> later_targets_;  // that it has moved to; they live as long
};

}  // namespace longshore::router
