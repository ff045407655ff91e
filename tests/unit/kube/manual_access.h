// An API server, and a clock, that do what a test says and when it says it.
#pragma once

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kube/api_access.h"
#include "kube/timing.h"

namespace longshore::test {

// Threads: one. All calls that were made and have not ended are kept; the test ends them.
class ManualAccess final : public kube::ApiAccess {
 public:
  struct Made final : kube::Call {
    void cancel() override { is_cancelled = true; }

    kube::Request request;
    std::function<void(kube::Outcome)> on_done;  // of a request, or
    kube::Watch watch;
    bool is_watch = false;
    bool is_cancelled = false;
  };

  std::shared_ptr<kube::Call> request(kube::Request request,
                                      std::function<void(kube::Outcome)> on_done) override {
    auto made = std::make_shared<Made>();
    made->request = std::move(request);
    made->on_done = std::move(on_done);
    running.push_back(made);
    return made;
  }

  std::shared_ptr<kube::Call> watch(kube::Watch watch) override {
    auto made = std::make_shared<Made>();
    made->is_watch = true;
    made->request = watch.request;
    made->watch = std::move(watch);
    running.push_back(made);
    return made;
  }

  // Ends a call.
  void end(const std::shared_ptr<Made>& made, kube::Outcome outcome) {
    std::erase(running, made);
    kube::Outcome told = made->is_cancelled
                             ? kube::Outcome(kube::ApiError(Error(StatusCode::kCancelled, "go on")))
                             : std::move(outcome);
    if (made->is_watch) {
      made->watch.on_end(told);
    } else {
      made->on_done(std::move(told));
    }
  }

  std::vector<std::shared_ptr<Made>> running;
};

inline std::string query_of(const kube::Request& request, const std::string& name) {
  const auto found =
      std::ranges::find(request.query, name, [](const auto& each) { return each.first; });
  return found == request.query.end() ? "none" : found->second;
}

class ManualTiming final : public kube::Timing {
 public:
  struct Timer {
    std::chrono::milliseconds delay{};
    std::function<void()> on_time;
    std::chrono::nanoseconds due{};
  };

  std::chrono::system_clock::time_point now() override { return time; }
  std::chrono::nanoseconds uptime() override { return up; }
  double random() override { return chance(); }
  std::shared_ptr<void> after(std::chrono::milliseconds delay,
                              std::function<void()> on_time) override {
    auto timer = std::make_shared<Timer>(Timer{delay, std::move(on_time), up + delay});
    timers_.push_back(timer);
    return timer;
  }

  // Those that somebody waits for.
  std::vector<std::shared_ptr<Timer>> waiting() {
    std::vector<std::shared_ptr<Timer>> timers;
    for (const auto& each : timers_) {
      if (auto timer = each.lock()) timers.push_back(std::move(timer));
    }
    return timers;
  }
  // The time of this one has come.
  void fire(const std::shared_ptr<Timer>& timer) {
    std::erase_if(timers_, [&](const auto& each) { return each.lock() == timer; });
    timer->on_time();
  }

  // Time goes on, and what is due by it is done, the earliest first; `between` comes after each.
  void advance(
      std::chrono::nanoseconds by, const std::function<void()>& between = [] {}) {
    const auto until = up + by;
    for (;;) {
      const auto timers = waiting();
      const auto next =
          std::ranges::min_element(timers, {}, [](const auto& each) { return each->due; });
      if (next == timers.end() || (*next)->due > until) break;
      up = std::max(up, (*next)->due);
      fire(*next);
      between();
    }
    up = until;
  }

  std::chrono::system_clock::time_point time{};
  std::chrono::nanoseconds up{};
  std::function<double()> chance = [] { return 0.0; };

 private:
  std::vector<std::weak_ptr<Timer>> timers_;
};

}  // namespace longshore::test
