// `[agent.audit]`: a line of JSON for every call that may change something, when it is answered.
//
//   {"time":"2026-11-21T04:31:35.123Z","request_id":"k3-1","caller":"uid:1000",
//    "on_behalf_of":"uid:1000","process":4711,"module":"disk","method":"v1.Disk/PartitionDisk",
//    "object":"5","request":{"disk_number":5},"code":"OK","duration_ms":12.3}
//
// What a module's description marks as secret is left out. "request_cut" tells that a request has
// more than "request" tells: it is long, or its bytes are broken. "unfinished" tells of a call that
// nobody waits for any more while the module is still at it, so that it may yet take effect.
//
// Calls that permissions refused are among them, without their request, and not more of a caller
// than refusal_limit.h lets through: "suppressed" tells how many had no line before that one.
//
// While the file cannot be written, lines are kept, as many as kMaxKept, and calls go on unless the
// configuration requires the log: then calls that may change something are refused, without a line.
//
// Threads: any; a line is written under a lock, on the thread that answers. Owner: the core.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>

#include "longshore/result.hpp"
#include "observe/append_file.h"
#include "observe/audit_figures.h"
#include "observe/rate_limited_log.h"
#include "router/recent_calls.h"
#include "router/refusal_limit.h"

namespace longshore::router {

class AuditLog {
 public:
  static constexpr size_t kMaxKept = 1000;          // lines
  static constexpr size_t kMaxRequestBytes = 8192;  // of a request that is told

  explicit AuditLog(observe::Log& log) : log_(log) {}
  AuditLog(const AuditLog&) = delete;
  AuditLog& operator=(const AuditLog&) = delete;
  ~AuditLog() { end(); }

  // Before the first call; an empty `file` leaves it off.
  Result<void> open(const std::string& file, bool required);

  // Whether calls of `method` are told.
  bool covers(const Method& method) const {
    return !file_name_.empty() && !method.reads_only && method.request_schema;
  }

  // OK, or why calls that may change something must not begin now: the log is required, and cannot
  // be written.
  Result<void> admits();

  void add(const RecentCalls::Answered& answered, bool unfinished);

  // Opens the file anew if another one, or none, has its name now.
  Result<void> reopen();

  // The last attempt to write what is kept, at the end of the agent; logs what is lost by that.
  void end();

  observe::AuditFigures figures() const;

 private:
  void add_line(std::string line);      // locked
  void add_suppressed();                // locked
  Result<void> write_kept();            // locked
  void keep(std::string line);          // locked
  void tell_trouble(const Error& why);  // locked

  observe::RateLimitedLog log_;
  std::string file_name_;  // constant once it is open
  bool required_ = false;
  std::atomic<bool> in_trouble_{false};  // lines are kept
  mutable std::mutex mutex_;
  observe::AppendFile file_;
  std::deque<std::string> kept_;
  uint64_t refused_ = 0;  // calls, since the log is in trouble
  RefusalLimit refusals_;
  observe::AuditFigures figures_;
};

}  // namespace longshore::router
