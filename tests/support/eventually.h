// Waiting for what comes in its own time.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <thread>

namespace longshore::test {

// How long, also in a guest and under sanitizers.
inline constexpr std::chrono::seconds kPatience{60};

// Whether the condition comes true in that time. Asks less and less often, so that asking does not
// keep a processor, which may be emulated, from what is waited for: at least once in
// `longest_pause`.
inline bool eventually(const std::function<bool()>& condition,
                       std::chrono::milliseconds longest_pause = std::chrono::milliseconds(20)) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  std::chrono::milliseconds pause(1);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(pause);
    pause = std::min(2 * pause, longest_pause);
  }
  return true;
}

}  // namespace longshore::test
