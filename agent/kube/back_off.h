// How long to wait before the next try, as client-go does: the time doubles from 0.8 s to 30 s, and
// each wait is between it and twice as long, so that clients that failed together come back apart.
//
// Threads: one. Owner: who tries.
#pragma once

#include <algorithm>
#include <chrono>

namespace longshore::kube {

class BackOff {
 public:
  // `random` is at least 0 and less than 1.
  std::chrono::milliseconds next(double random) {
    const std::chrono::duration<double, std::milli> wait = time_ * (1 + random);
    time_ = std::min(2 * time_, kMost);
    return std::chrono::duration_cast<std::chrono::milliseconds>(wait);
  }
  // After a success.
  void reset() { time_ = kLeast; }

 private:
  static constexpr std::chrono::milliseconds kLeast{800};
  static constexpr std::chrono::milliseconds kMost{30'000};

  std::chrono::milliseconds time_ = kLeast;
};

}  // namespace longshore::kube
