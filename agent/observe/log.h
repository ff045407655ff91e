// The agent's log: lines for people or JSON for programs, to standard error or a file.
//
//   2026-11-21T04:31:35.123Z INFO  serving endpoint=disk-v1 path=/run/longshore/...
//
// Messages and values come from clients and modules, so what could forge a line, drive a terminal
// or turn the order of reading around (line ends, control characters, quotes in values) is escaped,
// and what is not UTF-8 is replaced. Secrets never get here: callers leave them out.
// Threads: any. Owner: main, passed by reference; no global logger.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "longshore/result.hpp"
#include "observe/log_types.h"
#include "observe/recent_lines.h"

namespace longshore::observe {

enum class Format { kText, kJson };

struct LogOptions {
  Level level = Level::kInfo;
  Format format = Format::kText;
  std::string file = {};  // empty: standard error
  // Gets the lines in place of file and standard error, if it is set. Called on any thread.
  std::function<void(Level level, std::string_view line)> write = {};
};

class Log {
 public:
  // An error means that the file cannot be opened.
  static Result<std::unique_ptr<Log>> open(const LogOptions& options);
  ~Log();
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  bool enabled(Level level) const { return level >= level_.load(std::memory_order_relaxed); }
  void set_level(Level level) { level_ = level; }
  Level level() const { return level_; }

  void write(Level level, std::string_view text, const Fields& fields = {});
  // At the level info, whatever the level of the log is: what must not be missing there.
  void record(std::string_view text, const Fields& fields = {}) {
    write_always(Level::kInfo, text, fields);
  }
  void debug(std::string_view text, const Fields& fields = {}) {
    write(Level::kDebug, text, fields);
  }
  void info(std::string_view text, const Fields& fields = {}) { write(Level::kInfo, text, fields); }
  void warning(std::string_view text, const Fields& fields = {}) {
    write(Level::kWarning, text, fields);
  }
  void error(std::string_view text, const Fields& fields = {}) {
    write(Level::kError, text, fields);
  }

  // The last warnings and errors.
  const RecentLines& problems() const { return problems_; }
  // The last lines, of any level that is written, that carry a "request".
  const RecentLines& of_requests() const { return of_requests_; }

  // Opens the file anew, after logrotate moved it away. Keeps the old one if that fails.
  Result<void> reopen();

 private:
  struct Sink;
  Log(const LogOptions& options, std::unique_ptr<Sink> sink);
  void write_always(Level level, std::string_view text, const Fields& fields);

  std::atomic<Level> level_;
  const Format format_;
  const std::unique_ptr<Sink> sink_;
  RecentLines problems_{100};
  RecentLines of_requests_{512};
};

}  // namespace longshore::observe
