// When what has failed is tried again: after a second, then each time after twice as long, up to a
// minute.
//
// Threads: the I/O thread. Owner: who tries.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <utility>

#include "endpoint/alarm.h"

namespace longshore::endpoint {

class Retries {
 public:
  static constexpr std::chrono::seconds kFirst{1};
  static constexpr std::chrono::seconds kLongest{60};

  // `try_again` calls `go_on` where it has failed once more.
  Retries(std::unique_ptr<Alarm> alarm, std::function<void()> try_again)
      : alarm_(std::move(alarm)), try_again_(std::move(try_again)) {}

  void begin() {
    next_ = kFirst;
    go_on();
  }
  void go_on() {
    alarm_->set(next_, try_again_);
    next_ = std::min(2 * next_, kLongest);
  }
  void stop() { alarm_->clear(); }

 private:
  const std::unique_ptr<Alarm> alarm_;
  const std::function<void()> try_again_;
  std::chrono::seconds next_ = kFirst;
};

}  // namespace longshore::endpoint
