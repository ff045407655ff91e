// Measures an answer of the agent's HTTP address, each over a connection of its own.
//
//   http_bench <port> <path> <agent's process id> <requests>
//
// Prints one line of JSON: the time until the whole answer was there, the agent's processor time
// for it, and its bytes; exits with 1 when an answer is not 200.
#include <sys/types.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/bench/peer/process_usage.h"
#include "tests/support/http_connection.h"

namespace longshore::bench {
namespace {

using Clock = std::chrono::steady_clock;

// The bytes of the answer.
size_t request(uint16_t port, const std::string& path) {
  const test::HttpResponse response = test::http_get(port, path, "Connection: close\r\n");
  if (response.status != 200) throw std::runtime_error("the answer is not 200");
  return response.body.size();
}

void run(uint16_t port, const std::string& path, pid_t agent, size_t requests) {
  std::vector<double> times;
  size_t bytes = 0;
  const uint64_t processor_before = processor_nanoseconds(agent);
  for (size_t i = 0; i < requests; ++i) {
    const Clock::time_point begin = Clock::now();
    bytes = request(port, path);
    times.push_back(std::chrono::duration<double, std::micro>(Clock::now() - begin).count());
  }
  const uint64_t processor = processor_nanoseconds(agent) - processor_before;
  std::ranges::sort(times);
  std::printf("{\"p50_us\":%.1f,\"p99_us\":%.1f,\"server_cpu_us_per_call\":%.2f,\"bytes\":%zu}\n",
              times[times.size() / 2], times[times.size() * 99 / 100],
              static_cast<double>(processor) / 1000 / static_cast<double>(requests), bytes);
}

}  // namespace
}  // namespace longshore::bench

int main(int count, char** words) {
  const int requests = count == 5 ? std::atoi(words[4]) : 0;
  if (requests < 1) {
    std::fputs("usage: http_bench <port> <path> <agent's process id> <requests>\n", stderr);
    return 2;
  }
  try {
    longshore::bench::run(static_cast<uint16_t>(std::atoi(words[1])), words[2], std::atoi(words[3]),
                          static_cast<size_t>(requests));
    return 0;
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "http_bench: %s\n", failure.what());
    return 1;
  }
}
