#include "system/system_service.h"

#include <algorithm>

#include "system/unit_name.h"

namespace longshore::system {

namespace {

constexpr const char* kStart = "start the service";
constexpr const char* kStop = "stop the service";

}  // namespace

Result<AllowedServices> AllowedServices::from(const std::vector<std::string>& names) {
  AllowedServices allowed;
  for (const std::string& name : names) {
    if (name == "*") {
      allowed.all_ = true;
      continue;
    }
    Result<std::string> unit = any_unit_name(name, "use as an allowed service");
    if (!unit) return std::move(unit).error();
    allowed.units_.insert(*std::move(unit));
  }
  return allowed;
}

// Units in the order in which they are stopped.
struct SystemService::StopOrder {
  std::set<std::string> seen;
  std::vector<std::string> units;
};

Result<ServiceInfo> SystemService::get_service(const std::string& name,
                                               const Deadline& deadline) const {
  const Result<std::string> unit = service_unit_name(name, "look up the service");
  if (!unit) return unit.error();
  return backend_.query(*unit, deadline);
}

Result<void> SystemService::start_service(const std::string& name, const Deadline& deadline) const {
  const Result<std::string> unit = service_unit_name(name, kStart);
  if (!unit) return unit.error();
  if (Result<void> allowed = check_allowed(*unit, kStart); !allowed) return allowed;
  return backend_.start(*unit, deadline_of_one(deadline));
}

Result<void> SystemService::stop_service(const std::string& name, bool force,
                                         const Deadline& deadline) const {
  const Result<std::string> unit = service_unit_name(name, kStop);
  if (!unit) return unit.error();
  if (Result<void> allowed = check_allowed(*unit, kStop); !allowed) return allowed;
  const Result<ServiceInfo> info = backend_.query(*unit, deadline);
  if (!info) return info.error();
  if (info->status == ServiceStatus::kStopped) return {};

  StopOrder order;
  if (Result<void> collected = collect(*unit, deadline, order); !collected) return collected;
  if (!force && order.units.size() > 1) {
    std::string dependants;
    for (const std::string& dependant : order.units) {
      if (dependant != *unit) dependants.append(dependants.empty() ? "" : ", ").append(dependant);
    }
    return Error(StatusCode::kFailedPrecondition, kStop, *unit)
        .because("dependent services are not stopped: " + dependants)
        .advise("stop them first, or set force to have them stopped");
  }
  for (const std::string& each : order.units) {
    if (Result<void> allowed = check_allowed(each, kStop); !allowed) return allowed;
  }
  for (const std::string& each : order.units) {
    if (Result<void> stopped = backend_.stop(each, deadline_of_one(deadline)); !stopped)
      return stopped;
  }
  return {};
}

Result<void> SystemService::check_allowed(const std::string& unit, const char* operation) const {
  if (allowed_.allows(unit)) return {};
  return Error(StatusCode::kPermissionDenied, operation, unit)
      .because("the administrator has not allowed it")
      .advise(
          "the option allowed_services of the module names the services that may be started "
          "and stopped");
}

// What needs the unit comes before it, however many ways lead to it; units that need each other in
// a circle are each taken once.
Result<void> SystemService::collect(const std::string& unit, const Deadline& deadline,
                                    StopOrder& order) const {
  order.seen.insert(unit);
  const Result<std::vector<std::string>> dependants = backend_.running_dependants(unit, deadline);
  if (!dependants) return dependants.error();
  for (const std::string& dependant : *dependants) {
    if (order.seen.contains(dependant)) continue;
    if (Result<void> done = collect(dependant, deadline, order); !done) return done;
  }
  order.units.push_back(unit);
  return {};
}

Deadline SystemService::deadline_of_one(const Deadline& deadline) const {
  return {std::min(deadline.time, Deadline::Clock::now() + timeout_), deadline.cancelled};
}

}  // namespace longshore::system
