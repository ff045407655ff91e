// Something that a controller needs in order to run: its driver answers, its lease is held.
//
//   met ⇄ not met: the controller is stopped. With a fence (the lease has an end) its own calls end
//                  at once, and what still runs at the fence is killed
//
// Threads: any. `meet` and `fail` must be called without a lock: they may end calls of controllers,
// which leads back into the service's `on_cancel`. Owner: the host service that knows of it; the
// supervisor of controllers shares it.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "router/timers.h"

namespace longshore::services {

class RunCondition {
 public:
  struct State {
    bool is_met = false;
    std::string reason = {};  // why it is not met, for people: "the driver does not answer"
    std::optional<router::Clock::time_point> fence = std::nullopt;
    // Only since its controllers do not start: they are tried again in their time, as they would be
    // without it.
    bool is_left = false;

    bool operator==(const State&) const = default;
  };

  class Observer {
   public:
    virtual ~Observer() = default;
    // Must not block.
    virtual void condition_changed() = 0;
  };

  // `reason`: why it is not met at first.
  explicit RunCondition(std::string reason)
      : state_{.is_met = false, .reason = std::move(reason)} {}

  void meet() { change({.is_met = true}); }
  void fail(std::string reason, std::optional<router::Clock::time_point> fence = std::nullopt) {
    fail(State{.reason = std::move(reason), .fence = fence});
  }
  void fail(State unmet) { change(std::move(unmet)); }

  State state() const;
  // Tells `observer` of every change to come, and not of what is as before. Once is enough, twice
  // is harmless.
  void observe(const std::weak_ptr<Observer>& observer);

 private:
  void change(State state);

  mutable std::mutex mutex_;
  State state_;
  std::set<std::weak_ptr<Observer>, std::owner_less<>> observers_;
};

}  // namespace longshore::services
