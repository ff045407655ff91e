// A module of the configuration and what has become of it.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "config/settings.h"
#include "loader/instance.h"
#include "loader/lifecycle.h"
#include "loader/module_code.h"
#include "longshore/result.hpp"
#include "observe/status_report.h"
#include "router/permissions.h"
#include "router/timers.h"

namespace longshore::core {

struct ModuleEntry {
  config::ModuleSettings settings;
  std::shared_ptr<const loader::ModuleFacts> facts;        // with no name: its file was never read
  std::shared_ptr<const router::Permissions> permissions;  // what `settings` says of them
  std::shared_ptr<loader::Lifecycle> lifecycle;  // of the instance, or of the attempt to make one
  std::shared_ptr<loader::ModuleCode> code;      // null: it could not be loaded
  std::shared_ptr<loader::Instance> instance;    // null: it could not be created
  std::string failure;
  StatusCode failure_code = StatusCode::kOk;  // where there is one, of `failure`
  std::string file_failure;  // why its file cannot be loaded; what runs of it goes on
  std::string waits_for;     // of a controller that does not run: what it needs and has not
  std::chrono::system_clock::time_point waits_since{};
  uint64_t starts = 0;         // of a controller, those that failed included
  uint32_t failed_starts = 0;  // in a row, of a controller
  std::string last_failure;    // of its starts, told also when it has come up since
  // After such a one; max: never.
  router::Clock::time_point next_start = router::Clock::time_point::max();
  uint64_t upgrades = 0;  // instances that took the place of another, since the agent started

  // What holds on the way to the instance, which knows nothing of it.
  void take_routes_of(const ModuleEntry& other) {
    permissions = other.permissions;
    static_cast<config::RouteSettings&>(settings) = other.settings;
  }
  // Nothing: no more.
  void wait_for(std::string what) {
    if (waits_for.empty()) waits_since = std::chrono::system_clock::now();
    waits_for = std::move(what);
  }
  // Whether it is known what it serves, or would serve.
  bool is_described() const { return !facts->name.empty(); }
  bool serves() const { return instance && failure.empty(); }
  bool waits() const { return !instance && failure.empty() && !waits_for.empty(); }
  // As it is shown: "serving", "waiting", "failed", ...
  std::string state() const {
    return waits() ? std::string(observe::kWaiting) : loader::name_of(lifecycle->state());
  }
  // Empty where it serves.
  const std::string& why_not() const { return failure.empty() ? waits_for : failure; }
  bool is_controller() const { return settings.is_controller; }
};

// By the module's name.
using ModuleEntries = std::map<std::string, ModuleEntry>;

}  // namespace longshore::core
