// Waiting for what comes in its own time.
#pragma once

#include <chrono>
#include <functional>
#include <thread>

namespace longshore::test {

// Whether the condition comes true within a minute.
inline bool eventually(const std::function<bool()>& condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

}  // namespace longshore::test
