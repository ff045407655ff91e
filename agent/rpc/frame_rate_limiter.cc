#include "rpc/frame_rate_limiter.h"

#include <algorithm>
#include <utility>

namespace longshore::rpc {

FrameRateLimiter::FrameRateLimiter(const Limits& limits)
    : most_free_window_updates_(kWindowUpdatesOfAnAnswer * limits.max_concurrent_streams) {
  const auto set = [&](Kind kind, uint32_t per_second, uint32_t capacity) {
    Bucket& bucket = buckets_[static_cast<size_t>(kind)];
    bucket.per_second = per_second;
    bucket.capacity = capacity;
    bucket.level = capacity;
  };
  set(Kind::kPing, limits.max_pings_per_second, limits.max_pings_per_second);
  set(Kind::kSettings, limits.max_settings_per_second, limits.max_settings_per_second);
  // A client that gives up all its calls at once, and once more, is not an attacker.
  set(Kind::kReset, limits.max_resets_per_second,
      std::max(limits.max_resets_per_second, 2 * limits.max_concurrent_streams));
  set(Kind::kIdleFrame, limits.max_idle_frames_per_second, limits.max_idle_frames_per_second);
  set(Kind::kWindowUpdate, limits.max_idle_frames_per_second, limits.max_idle_frames_per_second);
}

bool FrameRateLimiter::take_free(Kind kind) {
  if (kind == Kind::kPing) return std::exchange(ping_is_free_, false);
  if (kind != Kind::kWindowUpdate || free_window_updates_ == 0) return false;
  --free_window_updates_;
  return true;
}

bool FrameRateLimiter::allow(Kind kind, Clock::time_point now) {
  Bucket& bucket = buckets_[static_cast<size_t>(kind)];
  if (bucket.filled_at != Clock::time_point{}) {
    const std::chrono::duration<double> passed = now - bucket.filled_at;
    bucket.level = std::min(bucket.capacity, bucket.level + passed.count() * bucket.per_second);
  }
  bucket.filled_at = now;
  if (bucket.level < 1) return false;
  bucket.level -= 1;
  return true;
}

}  // namespace longshore::rpc
