// Lets so many lines a second through and counts the rest: a module's log cannot fill the disk.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string_view>

#include "observe/log.h"

namespace longshore::observe {

// Threads: any. Owner: the instance whose lines it takes.
class RateLimitedLog {
 public:
  using Clock = std::chrono::steady_clock;
  using Now = std::function<Clock::time_point()>;

  static constexpr uint32_t kLinesPerSecond = 100;
  static constexpr size_t kMaxLineBytes = 8192;  // the rest of a longer line is cut off

  explicit RateLimitedLog(Log& log, Now now = &Clock::now) : log_(log), now_(std::move(now)) {}
  RateLimitedLog(const RateLimitedLog&) = delete;
  RateLimitedLog& operator=(const RateLimitedLog&) = delete;
  ~RateLimitedLog() { tell(dropped_, dropped_fields_); }

  // Writes the line, or counts it; the count is written with the first line of a later second, or
  // at the end.
  void write(Level level, std::string_view text, const Fields& fields) {
    if (!log_.enabled(level)) return;
    uint64_t dropped = 0;
    if (!admit(dropped, fields)) return;
    tell(dropped, fields);
    log_.write(level, text.substr(0, kMaxLineBytes), fields);
  }

 private:
  void tell(uint64_t dropped, const Fields& fields) {
    if (dropped == 0) return;
    log_.warning(std::to_string(dropped) + " log lines were dropped: too many in a second", fields);
  }

  bool admit(uint64_t& dropped_before, const Fields& fields) {
    const std::lock_guard lock(mutex_);
    const Clock::time_point now = now_();
    if (now - second_ >= std::chrono::seconds(1)) {
      second_ = now;
      lines_ = 0;
      dropped_before = std::exchange(dropped_, 0);
    }
    if (++lines_ <= kLinesPerSecond) return true;
    if (++dropped_ == 1) dropped_fields_ = fields;
    return false;
  }

  Log& log_;
  const Now now_;
  std::mutex mutex_;
  Clock::time_point second_{};
  uint32_t lines_ = 0;
  uint64_t dropped_ = 0;
  Fields dropped_fields_;  // of the first of them
};

}  // namespace longshore::observe
