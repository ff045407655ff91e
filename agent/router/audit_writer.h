// Writes the lines of the audit log, keeps those that it cannot write, and counts those that it
// cannot keep either.
//
//   well ──an error──► in trouble: lines are kept, up to kMaxKept, and others are missing
//     ▲                                          │
//     └── make_up: the file is opened, what is kept is written, a line tells what is missing
//
// What is missing when the agent ends tells the agent's own log, and the next agent's first line:
//   {"time":...,"event":"lost","lines":69,"refused_calls":3,"number":8,"hash":"..."}
//
// Threads: one at a time. Owner: the audit log.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "longshore/result.hpp"
#include "observe/audit_figures.h"
#include "observe/log.h"
#include "observe/rate_limited_log.h"
#include "router/audit_file.h"
#include "router/missing_lines.h"

namespace longshore::router {

class AuditWriter {
 public:
  static constexpr size_t kMaxKept = 1000;  // lines that could not be written

  explicit AuditWriter(observe::Log& log) : log_(log), limited_log_(log) {}

  // Once. An error: it is in trouble.
  Result<void> open(const AuditOptions& options);
  // Opens the file anew if another one, or none, has its name now. An error: lines go to the file
  // that is open still, if there is one.
  Result<void> reopen();

  // Lines are written between these two: `make_up`, if it can be written; `append` for each;
  // `conclude` with what came of it.
  Result<void> make_up();
  Result<void> append(const std::string& line);
  Result<void> sync();
  void conclude(const Result<void>& written);

  void keep(std::string line);  // that could not be written
  void lose(uint64_t lines);
  void refuse(uint64_t calls) { refused_ += calls, figures_.refused_calls += calls; }

  bool is_in_trouble() const { return !figures_.trouble.empty(); }
  const observe::AuditFigures& figures() const { return figures_; }

  // How far the chain has come, where who changes the file does not reach.
  void tell_anchor();
  bool has_new_anchor() const { return file_.link().number != told_number_; }

  // The last attempt; what is missing then is told.
  void end();

 private:
  Result<void> open_file();
  Result<void> tell_missing();
  Error named(const Error& why) const;

  observe::Log& log_;
  observe::RateLimitedLog limited_log_;
  AuditOptions options_;
  AuditFile file_;
  bool wants_open_ = true;      // the file that has the name may be another one
  std::optional<Error> stale_;  // why that one could not be opened, while the old one is written
  std::deque<std::string> kept_;
  uint64_t missing_ = 0;  // lines that no line has told yet
  uint64_t refused_ = 0;  // calls that no line has told yet
  MissingLines missing_lines_;
  uint64_t told_number_ = 0;  // of the last anchor
  observe::AuditFigures figures_;
};

}  // namespace longshore::router
