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

#include "router/timers.h"

namespace longshore::router {

class RefusalLimit {
 public:
  static constexpr uint64_t kLinesPerMinute = 60;
  static constexpr size_t kMaxCallers = 1000;  // all others are counted together

  // How many calls of the caller had no line since its last one; nothing: nor has this one.
  std::optional<uint64_t> admit(const std::string& caller, Clock::time_point now) {
    Minute& minute = minute_of(caller, now);
    if (is_over(minute, now)) minute = {now, 0, minute.suppressed};
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
  };

  static bool is_over(const Minute& minute, Clock::time_point now) {
    return now - minute.begin >= std::chrono::minutes(1);
  }

  Minute& minute_of(const std::string& caller, Clock::time_point now) {
    const auto known = callers_.find(caller);
    if (known != callers_.end()) return known->second;
    if (callers_.size() >= kMaxCallers) {
      std::erase_if(callers_, [&](const auto& each) {
        return is_over(each.second, now) && each.second.suppressed == 0;
      });
    }
    const bool has_room = callers_.size() < kMaxCallers;
    return callers_.try_emplace(has_room ? caller : "others", Minute{now}).first->second;
  }

  std::map<std::string, Minute> callers_;
};

}  // namespace longshore::router
