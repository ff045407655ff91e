// Keeps the thread of the timers busy: what becomes due meanwhile is found at once afterwards, in
// the order of its times, however long the test's own thread was kept from running.
#pragma once

#include <memory>

#include "router/timers.h"
#include "waiting.h"

namespace longshore::router {

class HeldTimers {
 public:
  explicit HeldTimers(Timers& timers) {
    timers.arm(*gate_, Clock::time_point::min());
    gate_->is_entered.wait([](bool is_entered) { return is_entered; });
  }
  ~HeldTimers() { release(); }
  HeldTimers(const HeldTimers&) = delete;
  HeldTimers& operator=(const HeldTimers&) = delete;

  void release() {
    gate_->is_open.change([](bool& is_open) { is_open = true; });
  }

 private:
  struct Gate final : Timer {
    void on_time() override {
      is_entered.change([](bool& value) { value = true; });
      is_open.wait([](bool value) { return value; });
    }
    Watched<bool> is_entered;
    Watched<bool> is_open;
  };

  const std::shared_ptr<Gate> gate_ = std::make_shared<Gate>();
};

}  // namespace longshore::router
