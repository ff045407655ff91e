// Where a test's random choices come from: LONGSHORE_SEED, or chance. It is printed, so that a run
// that failed can be repeated as far as threads and the machine allow.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>

namespace longshore::test {

inline uint64_t random_seed() {
  const char* const given = std::getenv("LONGSHORE_SEED");
  const uint64_t seed = given ? std::strtoull(given, nullptr, 10) : std::random_device()();
  std::printf("LONGSHORE_SEED=%llu\n", static_cast<unsigned long long>(seed));
  std::fflush(stdout);
  return seed;
}

}  // namespace longshore::test
