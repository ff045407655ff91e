// The last lines of the log, with their fields apart, for who asks the running agent: what went
// wrong lately, and what was said of one request.
//
// Threads: any. Owner: the log.
#pragma once

#include <chrono>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "observe/log_types.h"

namespace longshore::observe {

struct RecentLine {
  std::chrono::system_clock::time_point time;
  Level level = Level::kInfo;
  std::string text;  // as it was written, not yet escaped; its first kMaxTextBytes
  Fields fields;     // without the empty ones

  // The value of a field; empty when the line has none of this name.
  std::string_view field(std::string_view key) const;
};

class RecentLines {
 public:
  static constexpr size_t kMaxTextBytes = 1024;  // of the text and of each value

  explicit RecentLines(size_t capacity) : capacity_(capacity) {}
  RecentLines(const RecentLines&) = delete;
  RecentLines& operator=(const RecentLines&) = delete;

  void add(std::chrono::system_clock::time_point time, Level level, std::string_view text,
           const Fields& fields);

  // The oldest first.
  std::vector<RecentLine> all() const;

 private:
  const size_t capacity_;
  mutable std::mutex mutex_;
  std::vector<RecentLine> lines_;  // a ring once it is full
  size_t next_ = 0;                // the oldest, which is replaced next
};

}  // namespace longshore::observe
