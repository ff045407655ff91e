// The real clock of what tries again.
#include "kube/timing.h"

#include <catch2/catch.hpp>

namespace longshore::kube {
namespace {

using namespace std::chrono_literals;

TEST_CASE("What waits is called once, and who lets go is not called, though its time has come") {
  boost::asio::io_context io;
  IoTiming timing(io);
  int calls = 0;
  std::shared_ptr<void> other;
  const auto first = timing.after(0ms, [&] {
    ++calls;
    other.reset();
  });
  other = timing.after(0ms, [&] { ++calls; });
  auto gone = timing.after(1h, [&] { ++calls; });
  gone.reset();
  io.run();
  CHECK(calls == 1);
}

TEST_CASE("Chance is at least 0 and less than 1") {
  boost::asio::io_context io;
  IoTiming timing(io);
  for (int i = 0; i < 1000; ++i) {
    const double chance = timing.random();
    CHECK((chance >= 0 && chance < 1));
  }
}

}  // namespace
}  // namespace longshore::kube
