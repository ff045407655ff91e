// Which refused calls have a line in the audit log: so many of each caller in a minute, so that who
// may do nothing cannot fill the disk either. The others are counted.
//
// Threads: one at a time. Owner: the audit log.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "router/bounded_counts.h"
#include "router/timers.h"

namespace longshore::router {

class RefusalLimit {
 public:
  static constexpr uint64_t kLinesPerMinute = 60;
  static constexpr size_t kMaxCallers = 1000;  // all others are counted together

  // How many calls of the caller had no line since its last one; nothing: nor has this one.
  std::optional<uint64_t> admit(const std::string& caller, Clock::time_point now) {
    Minute& minute = callers_.at(caller, now);
    if (minute.is_over(now)) minute = {now, 0, minute.suppressed};
    if (++minute.lines <= kLinesPerMinute) return std::exchange(minute.suppressed, 0);
    ++minute.suppressed;
    return std::nullopt;
  }

  // By caller, what no line has told yet; it is taken as told now.
  std::map<std::string, uint64_t> take_suppressed() {
    std::map<std::string, uint64_t> taken;
    for (auto& [caller, minute] : callers_) {
      if (minute.suppressed > 0) taken[caller] = std::exchange(minute.suppressed, 0);
    }
    return taken;
  }

 private:
  struct Minute {
    Clock::time_point begin;
    uint64_t lines = 0;
    uint64_t suppressed = 0;

    bool is_over(Clock::time_point now) const { return now - begin >= std::chrono::minutes(1); }
    bool is_idle(Clock::time_point now) const { return is_over(now) && suppressed == 0; }
  };

  BoundedCounts<std::string, Minute> callers_{kMaxCallers, "others"};
};

}  // namespace longshore::router
