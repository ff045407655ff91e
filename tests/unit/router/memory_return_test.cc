// When memory goes back to the system after who held it has gone.
#include "router/memory_return.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <memory>
#include <thread>

#include "held_timers.h"
#include "waiting.h"

namespace longshore::router {
namespace {

constexpr std::chrono::milliseconds kShortQuiet{5};

class ReturnWorld {
 public:
  MemoryReturn& memory() { return *memory_; }
  Timers& timers() { return timers_; }
  bool has_given_back(int times) const { return given_back_.get() >= times; }
  // So often, once nothing is left to wait for.
  int gives_back() {
    while (memory_->waits()) std::this_thread::yield();
    return given_back_.get();
  }

 private:
  Watched<int> given_back_;
  Timers timers_;
  const std::shared_ptr<MemoryReturn> memory_ = std::make_shared<MemoryReturn>(
      timers_, [this] { given_back_.change([](int& given) { ++given; }); }, kShortQuiet);
};

}  // namespace

TEST_CASE("Memory goes back once after something has left, and then nothing wakes up") {
  ReturnWorld world;
  for (int round = 1; round <= 2; ++round) {
    world.memory().something_left();
    CHECK(world.gives_back() == round);
  }
}

// What modules let go of after that client has gone was not free yet when the time of the first was
// over.
TEST_CASE("What leaves while another's time passes has its own") {
  ReturnWorld world;
  HeldTimers held(world.timers());
  for (int i = 0; i <= 100; ++i) world.memory().something_left();
  held.release();
  CHECK(world.gives_back() == 2);
}

TEST_CASE("Where clients come and go all the time memory goes back all the same") {
  ReturnWorld world;
  const auto end = Clock::now() + std::chrono::seconds(30);
  while (!world.has_given_back(3) && Clock::now() < end) world.memory().something_left();
  CHECK(world.has_given_back(3));
}

}  // namespace longshore::router
