// What the settings of a leader election have to be, wherever they are written: in a configuration,
// and as flags.
//
// Threads: any; plain functions.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string_view>
#include <utility>

#include "config/settings.h"

namespace longshore::config {

// Of each of its times, in nanoseconds.
inline constexpr std::pair<int64_t, int64_t> kLeaderElectionTimes = {
    std::chrono::nanoseconds(std::chrono::seconds(1)).count(),
    std::chrono::nanoseconds(std::chrono::hours(1)).count()};

// As client-go checks the times, and that a record can say how long the lease is.
inline bool has_whole_seconds(const LeaderElectionSettings& election) {
  return election.lease_duration % std::chrono::seconds(1) == std::chrono::nanoseconds::zero();
}
inline bool renews_before_end(const LeaderElectionSettings& election) {
  return election.renew_deadline < election.lease_duration;
}
// With the jitter of a fifth there is time for more than one try.
inline bool tries_before_deadline(const LeaderElectionSettings& election) {
  return 5 * election.renew_deadline > 6 * election.retry_period;
}

// Empty is one: that of the Pod.
inline bool is_namespace(std::string_view text) {
  return std::ranges::all_of(
      text, [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; });
}

}  // namespace longshore::config
