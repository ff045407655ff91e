// An instance of a module whose code runs in a child process: what the functions of
// longshore_instance do there, and the supervision of that process.
//
//   idle ──start──► starting ──► serving ◄─────────────┐
//                      │            │ the process ends │
//                      │            └──► starting, at once or after a delay (waiting)
//                      │                    └── too often within a minute ──► quarantined, or
//                      │                        a long wait (options.quarantine_time)
//                      └── an error, the first time ──► over
//   any of them ──stop, end──► ending ──► over
//
// Calls that come while a process starts are kept for it. When one ends, those that it had end with
// UNAVAILABLE at once, or are kept too where `retry_idempotent` allows that.
//
// Threads: the functions as in abi.h, none of them blocks but `end`; a thread of its own starts the
// processes and reads their frames. Owner: the ChildModule, until `end`.
#pragma once

#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "loader/module_code.h"
#include "loader/module_file.h"
#include "longshore/abi.h"
#include "observe/log.h"
#include "router/timers.h"
#include "supervise/child_call.h"
#include "supervise/child_invocations.h"
#include "supervise/child_options.h"

namespace longshore::supervise {

class ChildInstance {
 public:
  // What runs, and how; shared by the instances of one ChildModule and outlives them.
  struct Parts {
    const loader::ModuleFacts& facts;
    const loader::ModuleFile& file;
    const ChildOptions& options;
    observe::Log& log;
    // Told of a call that waits in the process behind others for its bulkhead; empty: it runs.
    void (*set_waiting)(const longshore_host* host, longshore_call call,
                        std::string_view bulkhead) = nullptr;
  };
  ChildInstance(Parts parts, const longshore_host* host);
  ChildInstance(const ChildInstance&) = delete;
  ChildInstance& operator=(const ChildInstance&) = delete;

  // longshore_instance
  void start(longshore_call call, std::string_view settings, std::string_view handover);
  void invoke(longshore_call call, std::string_view method, std::string_view request);
  void cancel(longshore_call call);
  void writable(longshore_call call);
  void stop(longshore_call call);
  // Ends the process; kills it if that takes too long.
  void end();
  // Kills the process at once, and starts no other. `end`: "was killed because ...".
  void kill(const std::string& end);

  loader::ModuleProcess process() const;

 private:
  using Clock = router::Clock;
  // Processes in a row that never served, however long each of them took for it.
  static constexpr int kMostStartsInVain = 3;
  static constexpr const char* kManyWait =
      "the process of the module does not read its calls, and many wait; try again later";
  enum class State { kIdle, kStarting, kServing, kWaiting, kQuarantined, kEnding, kOver };

  // The thread: one process after the other.
  void run();
  // One process, from its start to its end.
  ProcessEnd run_process();
  void greet(ChildConnection& child);
  // Of what the process prints, the record of its crash; and what is done with it at its end.
  void note_crash(std::string_view line);
  void keep_crash(int process);
  bool on_frame(const std::shared_ptr<ChildConnection>& child, ChildInvocations& its_calls,
                const Frame& frame);
  bool on_ready(ChildConnection& child, const Frame& frame);
  bool on_started(const std::shared_ptr<ChildConnection>& child, const Frame& frame);
  bool on_stopped(ChildConnection& child, const Frame& frame);
  bool on_finish(const Frame& frame);
  bool on_log(const Frame& frame);
  bool on_violations(const Frame& frame);
  bool on_degraded(const Frame& frame);
  bool on_waits(const Frame& frame);

  // Decides what comes after the end of a process, and ends what was on its way to it.
  void on_end(const ProcessEnd& end);
  State state_after_end(bool was_serving);  // locked, as the next
  State quarantined();
  // Waits until the next process is due. False: there will be none.
  bool await_next();
  void log_end(const ProcessEnd& end, State next, size_t calls);
  // Readies a call for the next process. False: it has to end.
  bool keep_for_next(ChildCall& call, State next) const;  // locked
  bool is_ending() const;
  std::string refusal() const;  // locked: why no call is taken
  std::string sentence(const ProcessEnd& end) const;

  std::shared_ptr<ChildCall> find(longshore_call call) const;
  void forget(longshore_call call);
  void finish(longshore_call call, StatusCode code, const std::string& text) const;
  Clock::time_point deadline_of(longshore_call call) const;
  static Clock::time_point shortly_before(Clock::time_point deadline);

  const Parts parts_;
  const longshore_host* const host_;
  std::map<std::string, uint32_t, std::less<>> method_numbers_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  State state_ = State::kIdle;
  bool is_ending_ = false;
  bool has_served_ = false;
  bool awaits_started_ = false;             // from this process: it says so once
  std::shared_ptr<ChildConnection> child_;  // null: there is no process
  std::string settings_;
  Secret handover_;  // for the first process only
  longshore_call start_call_ = 0;
  longshore_call stop_call_ = 0;
  Clock::time_point stop_deadline_{};
  std::map<longshore_call, std::shared_ptr<ChildCall>> calls_;
  uint64_t calls_taken_ = 0;
  std::deque<Clock::time_point> ends_;  // within the last minute
  int starts_in_vain_ = 0;
  Clock::time_point next_start_{};
  uint64_t restarts_ = 0;
  bool is_degraded_ = false;          // as the module said in this process
  uint32_t violations_ = 0;           // of the contract, by this process
  uint64_t violations_of_ended_ = 0;  // by those before it
  std::string last_violation_;
  std::string last_end_;
  std::string crash_;  // the supervising thread's: what its process has printed of its crash
  std::thread thread_;
};

}  // namespace longshore::supervise
