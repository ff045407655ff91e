// What a controller has told of one of its work queues, for the series that client-go has of them.
//
// Threads: a plain value.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace longshore::observe {

struct WorkQueueSeries {
  // Up to 10 ns, up to ten times as long each, up to 10 s; the last: longer.
  static constexpr size_t kBuckets = 11;

  struct Durations {
    std::array<uint64_t, kBuckets> buckets{};  // each for itself
    double seconds = 0;
  };

  std::string module;  // as the configuration has it
  std::string name;    // once in a module
  uint64_t depth = 0;
  uint64_t adds = 0;
  uint64_t retries = 0;
  Durations waited;
  Durations worked;
  double unfinished_seconds = 0;
  double longest_running_seconds = 0;
  // For who asks for controllers; none of client-go's series.
  uint64_t running = 0;
  uint64_t delayed = 0;
  double oldest_seconds = 0;  // how long that key is queued which is so longest
};

}  // namespace longshore::observe
