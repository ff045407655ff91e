// Waiting for what comes in its own time.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <thread>

namespace longshore::test {

// How long, also in a guest and under sanitizers.
inline constexpr std::chrono::seconds kPatience{60};

// Whether the condition comes true in that time. Looks less often the longer it waits, since many a
// look is a call or a program: after a tenth of the time so far, within 1 to 100 ms.
inline bool eventually(const std::function<bool()>& condition) {
  using std::chrono::milliseconds;
  using std::chrono::steady_clock;
  const auto begin = steady_clock::now();
  while (!condition()) {
    const steady_clock::duration waited = steady_clock::now() - begin;
    if (waited > kPatience) return false;
    std::this_thread::sleep_for(
        std::clamp<steady_clock::duration>(waited / 10, milliseconds(1), milliseconds(100)));
  }
  return true;
}

}  // namespace longshore::test
