// Lets so many lines and bytes through and counts the rest: a module's log cannot fill the disk.
#pragma once

#include <algorithm>
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

  struct Rate {
    uint32_t lines;
    std::chrono::seconds period;
    const char* period_name;
  };
  static constexpr uint32_t kLinesPerSecond = 100;
  static constexpr Rate kMany{kLinesPerSecond, std::chrono::seconds(1), "a second"};
  // For what one line tells and the next only repeats.
  static constexpr Rate kFew{10, std::chrono::seconds(60), "a minute"};
  static constexpr size_t kMaxLineBytes = 2048;  // the rest of a longer line is cut off
  // In the long run, whatever the lines are: some 1.4 GB a day. A burst may be as large as a crash.
  static constexpr int64_t kBytesPerSecond = 16 << 10;
  static constexpr int64_t kBurstBytes = 256 << 10;

  explicit RateLimitedLog(Log& log, Now now = &Clock::now, Rate rate = kMany)
      : log_(log), now_(std::move(now)), rate_(rate) {}
  RateLimitedLog(const RateLimitedLog&) = delete;
  RateLimitedLog& operator=(const RateLimitedLog&) = delete;
  ~RateLimitedLog() { tell(dropped_, dropped_fields_); }

  // Writes the line, or counts it; the count is written with the first line of a later period, or
  // at the end.
  void write(Level level, std::string_view text, const Fields& fields) {
    if (!log_.enabled(level)) return;
    uint64_t dropped = 0;
    text = text.substr(0, kMaxLineBytes);
    if (!admit(dropped, text.size(), fields)) return;
    tell(dropped, fields);
    log_.write(level, text, fields);
  }

 private:
  void tell(uint64_t dropped, const Fields& fields) {
    if (dropped == 0) return;
    log_.warning(
        std::to_string(dropped) + " log lines were dropped: too many in " + rate_.period_name,
        fields);
  }

  bool admit(uint64_t& dropped_before, size_t text_bytes, const Fields& fields) {
    size_t bytes = kPrefixBytes + text_bytes;
    for (const Field& field : fields) bytes += field.key.size() + field.value.size();
    const std::lock_guard lock(mutex_);
    const Clock::time_point now = now_();
    const bool has_room = bytes_until_ - now <= kByteTime * kBurstBytes;
    if (now - period_ >= rate_.period && has_room) {
      period_ = now;
      lines_ = 0;
      dropped_before = std::exchange(dropped_, 0);
    }
    if (has_room && lines_ < rate_.lines) {
      ++lines_;
      bytes_until_ = std::max(bytes_until_, now) + kByteTime * static_cast<int64_t>(bytes);
      return true;
    }
    if (++dropped_ == 1) dropped_fields_ = fields;
    return false;
  }

  static constexpr size_t kPrefixBytes = 64;  // of a line: time, level, what stands between
  static constexpr std::chrono::nanoseconds kByteTime{1'000'000'000 / kBytesPerSecond};

  Log& log_;
  const Now now_;
  const Rate rate_;
  std::mutex mutex_;
  Clock::time_point period_{};
  Clock::time_point bytes_until_{};  // as far ahead as bytes were written too fast
  uint32_t lines_ = 0;
  uint64_t dropped_ = 0;
  Fields dropped_fields_;  // of the first of them
};

}  // namespace longshore::observe
