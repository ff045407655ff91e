// Random choices that are the same for the same seed everywhere, which those of <random> are not.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace longshore::module_check {

class Random {
 public:
  // The name keeps tests apart: each has its choices, whichever others run.
  Random(uint64_t seed, std::string_view name) : engine_(seed) {
    for (const char each : name) {
      engine_.seed(engine_() ^ static_cast<unsigned char>(each));
    }
  }

  uint64_t any() { return engine_(); }
  // Less than `count`, which is not 0.
  uint64_t below(uint64_t count) { return engine_() % count; }
  bool one_in(uint64_t count) { return below(count) == 0; }
  template <typename T>
  const T& of(const std::vector<T>& items) {
    return items[below(items.size())];
  }
  std::string bytes(uint64_t size) {
    std::string bytes;
    for (uint64_t i = 0; i < size; ++i) bytes += static_cast<char>(engine_());
    return bytes;
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace longshore::module_check
