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
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "longshore/result.hpp"

namespace longshore::observe {

// The numbers are those of longshore_log_level in abi.h.
enum class Level { kDebug = 1, kInfo = 2, kWarning = 3, kError = 4 };

// "debug", "info", "warning", "error".
std::string_view name_of(Level level);

// The nearest level of a number that a module passed.
inline Level level_of(int number) {
  return static_cast<Level>(number < 1 ? 1 : number > 4 ? 4 : number);
}

enum class Format { kText, kJson };

struct Field {
  Field(std::string_view name, std::string_view text) : key(name), value(text) {}
  std::string_view key;  // a literal
  std::string value;     // left out of the line when empty
};
using Fields = std::vector<Field>;

struct LogOptions {
  Level level = Level::kInfo;
  Format format = Format::kText;
  std::string file;  // empty: standard error
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

  // Opens the file anew, after logrotate moved it away. Keeps the old one if that fails.
  Result<void> reopen();

 private:
  struct Sink;
  Log(const LogOptions& options, std::unique_ptr<Sink> sink);

  std::atomic<Level> level_;
  const Format format_;
  const std::unique_ptr<Sink> sink_;
};

}  // namespace longshore::observe
