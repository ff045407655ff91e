#include "router/detached_thread.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <memory>
#include <vector>

#include "tests/support/eventually.h"

using namespace longshore;

TEST_CASE("detached threads run once each, however soon they end") {
  constexpr size_t kStarters = 4;
  constexpr size_t kThreads = 300;
  struct Counts {
    std::vector<std::atomic<int>> runs = std::vector<std::atomic<int>>(kStarters * kThreads);
    std::atomic<size_t> ended = 0;
  };
  const auto counts = std::make_shared<Counts>();
  std::vector<std::thread> starters;
  for (size_t starter = 0; starter < kStarters; ++starter) {
    starters.emplace_back([counts, starter] {
      for (size_t i = 0; i < kThreads; ++i) {
        router::start_detached_thread([counts, each = starter * kThreads + i] {
          ++counts->runs[each];
          ++counts->ended;
        });
      }
    });
  }
  for (std::thread& starter : starters) starter.join();
  CHECK(test::eventually([&] { return counts->ended == kStarters * kThreads; }));
  size_t once = 0;
  for (const std::atomic<int>& runs : counts->runs) once += runs == 1 ? 1 : 0;
  CHECK(once == kStarters * kThreads);
}
