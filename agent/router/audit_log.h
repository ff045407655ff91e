// `[agent.audit]`: lines of JSON for every call that may change something, one before the module
// gets it and one when it is answered:
//
//   {"time":"2026-11-21T04:31:35.123Z","event":"begin","call":"3f2a","request_id":"k3-1",
//    "caller":"uid:1000","on_behalf_of":"uid:1000","process":4711,"module":"disk",
//    "method":"v1.Disk/PartitionDisk","object":"5","request":{"disk_number":5},...}
//   {"time":...,"event":"end","call":"3f2a","request_id":"k3-1","module":"disk",
//    "method":"v1.Disk/PartitionDisk","object":"5","code":"OK","duration_ms":12.3,...}
//
// On Windows "program" follows, that of the process. What a module's description marks as secret is
// left out. "request_cut" tells that a request has more than "request" tells: it is long, or its
// bytes are broken. "unfinished" tells of a call that nobody waits for any more while the module is
// still at it, so that it may yet take effect.
//
// A call that is refused before any target has it has one line, "refused". Of those that
// permissions refused the request is left out, and not more of a caller are told than
// refusal_limit.h lets through: "suppressed" tells how many had no line before that one. What is
// refused at the request's head has no request, and so no object.
//
// While the file cannot be written, or not even opened, lines are kept (router/audit_writer.h), and
// calls go on unless the configuration requires the log: then calls that may change something are
// refused, without a line. It is tried again with each line, and after 1 to 60 seconds.
//
//   begin ──► queue ──► the writing thread: all that waits, one fsync ──► the calls go on
//   add ─────────▲
//
// Threads: any; nobody waits for the disk but the thread that writes, and the control thread in
// `reopen` and `end`. Owner: the core.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_set>

#include "longshore/result.hpp"
#include "observe/audit_figures.h"
#include "router/audit_writer.h"
#include "router/recent_calls.h"
#include "router/refusal_limit.h"
#include "router/timers.h"
#include "router/worker_pool.h"

namespace longshore::router {

class Call;

class AuditLog {
 public:
  static constexpr size_t kMaxQueuedBytes = 16 << 20;  // that wait for the thread that writes
  static constexpr size_t kMaxRequestBytes = 8192;     // of a request that is told

  // The timers outlive it.
  AuditLog(observe::Log& log, Timers& timers) : timers_(timers), writer_(log) {}
  AuditLog(const AuditLog&) = delete;
  AuditLog& operator=(const AuditLog&) = delete;
  ~AuditLog();

  // Before the first call; without a file it is left off. An error: it is on, but cannot be written
  // yet.
  Result<void> open(const AuditOptions& options);

  // Whether calls of `method` are told.
  bool covers(const Method& method) const {
    return thread_ && !method.reads_only && method.request_schema;
  }

  // Has the call's first line written, and then `go_on` called, maybe on the writing thread: with
  // an error if the log is required and the line could not be written.
  using GoOn = std::function<void(const Result<void>& written)>;
  void begin(const Call& call, GoOn go_on);

  // The last line of a call; of one without a handle, which was refused before it was any target's,
  // the only one.
  void add(const RecentCalls::Answered& answered, bool unfinished);

  // Opens the file anew if another one, or none, has its name now. An error is no reason to stop:
  // it is tried again.
  Result<void> reopen();

  // Waits until all that was told is written, or kept.
  void settle();

  // The last attempt to write what is kept, at the end of the agent; logs what is lost by that.
  void end();

  observe::AuditFigures figures() const;

 private:
  struct Entry {
    std::string line;
    GoOn go_on;  // null: nobody waits
  };
  class Alarm;

  void enqueue(Entry entry);
  void write_soon();  // locked
  void write_all();
  void write_batch(std::deque<Entry> batch, uint64_t unkept, bool anchor_is_due);
  // After something was written: what there is to do later. File locked.
  void look_ahead();
  void add_suppressed();

  Timers& timers_;
  bool is_required_ = false;
  std::chrono::milliseconds between_anchors_{};
  std::unique_ptr<WorkerPool> thread_;  // one; null: off
  std::shared_ptr<Alarm> anchor_alarm_;
  std::shared_ptr<Alarm> retry_alarm_;

  std::mutex file_mutex_;  // before mutex_
  AuditWriter writer_;

  mutable std::mutex mutex_;
  std::condition_variable settled_;
  std::deque<Entry> queue_;
  size_t queued_bytes_ = 0;
  uint64_t unkept_ = 0;      // lines that there was no room for in the queue
  bool is_writing_ = false;  // the thread is at it, or will be
  bool has_ended_ = false;
  std::chrono::seconds until_retry_{1};
  std::unordered_set<uint64_t> begun_;  // handles of calls that have their first line only
  RefusalLimit refusals_;
  observe::AuditFigures figures_;
};

}  // namespace longshore::router
