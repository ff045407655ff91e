#include "tests/bench/client/call_load.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <memory>
#include <stdexcept>
#include <vector>

#include "tests/support/test_client.h"

namespace longshore::bench {
namespace {

using Clock = std::chrono::steady_clock;

struct Running {
  std::shared_ptr<test::Answer> answer;
  Clock::time_point begin;
};

double quantile(const std::vector<double>& sorted, double part) {
  if (sorted.empty()) return 0;
  return sorted[static_cast<size_t>(part * static_cast<double>(sorted.size() - 1))];
}

}  // namespace

CallFigures measure_calls(test::TestClient& client, const CallLoad& load) {
  CallFigures figures;
  std::vector<double> times;
  std::deque<Running> running;
  const Clock::time_point begin = Clock::now();
  for (size_t begun = 0; begun < load.calls || !running.empty();) {
    for (; begun < load.calls && running.size() < load.in_flight; ++begun) {
      const Clock::time_point now = Clock::now();
      running.push_back({client.start(load.method, load.request), now});
    }
    const Running& first = running.front();
    if (!client.run_until([&] { return first.answer->finished(); })) {
      throw std::runtime_error("no answer to " + load.method);
    }
    times.push_back(std::chrono::duration<double, std::micro>(Clock::now() - first.begin).count());
    if (first.answer->code() != StatusCode::kOk) ++figures.failures;
    running.pop_front();
  }
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  std::ranges::sort(times);
  figures.p50_us = quantile(times, 0.5);
  figures.p99_us = quantile(times, 0.99);
  figures.calls_per_second = static_cast<double>(times.size()) / seconds;
  return figures;
}

}  // namespace longshore::bench
