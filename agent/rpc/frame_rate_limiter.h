// Tells a busy peer from one that floods the connection with frames that cost us and not it.
//
// Each kind of frame has a bucket that holds a second's worth and fills at the permitted rate.
// Time is an argument, so that the rules can be tested without waiting.
//
// Threads: one at a time. Owner: Http2Session.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "rpc/limits.h"

namespace longshore::rpc {

class FrameRateLimiter {
 public:
  using Clock = std::chrono::steady_clock;
  enum class Kind : uint8_t { kPing, kSettings, kReset, kIdleFrame, kWindowUpdate };

  explicit FrameRateLimiter(const Limits& limits);

  // Whether one frame goes uncounted, for what was sent.
  bool take_free(Kind kind);
  // Counts one frame. False: there were too many.
  bool allow(Kind kind, Clock::time_point now);

  // A frame of an answer left: one ping may follow for nothing. grpc-go measures round trips so,
  // on a local socket some thousand times a second. So may some window updates, which say that it
  // was read; who has not sent them for the answers of all its streams has no more of them later.
  void answer_sent() {
    ping_is_free_ = true;
    free_window_updates_ =
        std::min(free_window_updates_ + kWindowUpdatesOfAnAnswer, most_free_window_updates_);
  }

 private:
  static constexpr size_t kWindowUpdatesOfAnAnswer = 10;

  struct Bucket {
    double capacity = 0;
    double per_second = 0;
    double level = 0;
    Clock::time_point filled_at{};
  };

  std::array<Bucket, 5> buckets_;
  const size_t most_free_window_updates_;
  bool ping_is_free_ = false;
  size_t free_window_updates_ = 0;
};

}  // namespace longshore::rpc
