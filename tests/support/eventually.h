// Waiting for what comes in its own time.
#pragma once

#include <chrono>
#include <functional>
#include <thread>

namespace longshore::test {

// How long, also in a guest and under sanitizers.
inline constexpr std::chrono::seconds kPatience{60};

// Whether the condition comes true in that time.
inline bool eventually(const std::function<bool()>& condition) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

}  // namespace longshore::test
