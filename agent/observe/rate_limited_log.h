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

  // Writes the line, or counts it; the count is written with the first line of a later second.
  void write(Level level, std::string_view text, const Fields& fields) {
    if (!log_.enabled(level)) return;
    uint64_t dropped = 0;
    if (!admit(dropped)) return;
    if (dropped > 0) {
      log_.warning(std::to_string(dropped) + " log lines were dropped: too many in a second",
                   fields);
    }
    log_.write(level, text.substr(0, kMaxLineBytes), fields);
  }

 private:
  bool admit(uint64_t& dropped_before) {
    const std::lock_guard lock(mutex_);
    const Clock::time_point now = now_();
    if (now - second_ >= std::chrono::seconds(1)) {
      second_ = now;
      lines_ = 0;
      dropped_before = std::exchange(dropped_, 0);
    }
    if (++lines_ <= kLinesPerSecond) return true;
    ++dropped_;
    return false;
  }

  Log& log_;
  const Now now_;
  std::mutex mutex_;
  Clock::time_point second_{};
  uint32_t lines_ = 0;
  uint64_t dropped_ = 0;
};

}  // namespace longshore::observe
