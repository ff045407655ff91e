// What the agent itself serves, beside its modules: reached as they are, by the router.
//
//   described ──start──► serving ──stop──► refuses who still calls
//
// Configurations may name it as soon as it is described. It is for modules, which name it in
// `may_call`; for endpoints, whose `services` name it; or for both. It may also decide when a
// controller runs, by a condition.
//
// Threads: `start` and `stop` once, before the first module and after the last; the others as they
// say. Owner: HostServices; calls share it.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <utility>

#include "config/settings.h"
#include "loader/description.h"
#include "longshore/result.hpp"
#include "observe/log.h"
#include "observe/status_report.h"
#include "router/target.h"
#include "router/timers.h"
#include "services/module_state.h"
#include "services/run_condition.h"

namespace longshore::services {

// That by which the agent runs now. [any]
using CurrentConfiguration = std::function<std::shared_ptr<const config::Configuration>()>;

class HostService {
 public:
  explicit HostService(loader::ModuleDescription description)
      : description_(std::move(description)) {}
  virtual ~HostService() = default;
  HostService(const HostService&) = delete;
  HostService& operator=(const HostService&) = delete;

  // Its services and their methods. [any]
  const loader::ModuleDescription& description() const { return description_; }
  // What takes its calls, from `start` on. It brings threads of its own or must not block: `submit`
  // is called on the caller's thread. [any]
  virtual router::Target& target() = 0;
  virtual bool for_modules() const { return false; }
  virtual bool for_endpoints() const { return false; }

  // All are there until after `stop`.
  virtual void start(router::Timers&, observe::Log&, const CurrentConfiguration&) {}
  // Adds what it has to tell of itself. [any]
  virtual void add_to(observe::StatusReport&) const {}
  // Ends the threads that it has.
  virtual void stop() {}

  // What it asks of a controller with these settings before that may run, always the same object
  // for the same controller. Null: nothing. [control]
  virtual std::shared_ptr<RunCondition> run_condition(const config::ModuleSettings&) {
    return nullptr;
  }
  // Hears of all modules after each change of the set: which run, which have stopped, which the
  // configuration does not name any more. Must not block. [control]
  virtual void modules_changed(const ModuleStates&) {}

 private:
  const loader::ModuleDescription description_;
};

// A service of this type, made of the bytes that CMake's longshore_describe_host_service leaves.
template <typename Service>
Result<std::shared_ptr<Service>> make_host_service(std::span<const unsigned char> description) {
  auto parsed = loader::parse_host_service_description(description);
  if (!parsed) return std::move(parsed).error();
  return std::make_shared<Service>(*std::move(parsed));
}

}  // namespace longshore::services
