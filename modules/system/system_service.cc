#include "system/system_service.h"

#include <algorithm>

#include "system/service_name.h"

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
    Result<std::string> service = dependant_name(name, "use as an allowed service");
    if (!service) return std::move(service).error();
    allowed.names_.insert(comparable_name(*service));
  }
  return allowed;
}

bool AllowedServices::allows(const std::string& service) const {
  return all_ || names_.contains(comparable_name(service));
}

// In which services are stopped.
struct SystemService::StopOrder {
  std::set<std::string> seen;
  std::vector<std::string> services;
};

Result<ServiceInfo> SystemService::get_service(const std::string& name,
                                               const Deadline& deadline) const {
  const Result<std::string> service = service_name(name, "look up the service");
  if (!service) return service.error();
  return backend_.query(*service, deadline);
}

Result<void> SystemService::start_service(const std::string& name, const Deadline& deadline) const {
  const Result<std::string> service = service_name(name, kStart);
  if (!service) return service.error();
  if (Result<void> allowed = check_allowed(*service, kStart); !allowed) return allowed;
  return backend_.start(*service, deadline_of_one(deadline));
}

Result<void> SystemService::stop_service(const std::string& name, bool force,
                                         const Deadline& deadline) const {
  const Result<std::string> service = service_name(name, kStop);
  if (!service) return service.error();
  if (Result<void> allowed = check_allowed(*service, kStop); !allowed) return allowed;
  const Result<ServiceInfo> info = backend_.query(*service, deadline);
  if (!info) return info.error();
  if (info->status == ServiceStatus::kStopped) return {};

  StopOrder order;
  if (Result<void> collected = collect(*service, deadline, order); !collected) return collected;
  if (!force && order.services.size() > 1) {
    std::string dependants;
    for (const std::string& dependant : order.services) {
      if (dependant != *service)
        dependants.append(dependants.empty() ? "" : ", ").append(dependant);
    }
    return Error(StatusCode::kFailedPrecondition, kStop, *service)
        .because("dependent services are not stopped: " + dependants)
        .advise("stop them first, or set force to have them stopped");
  }
  for (const std::string& each : order.services) {
    if (Result<void> allowed = check_allowed(each, kStop); !allowed) return allowed;
  }
  for (const std::string& each : order.services) {
    if (Result<void> stopped = backend_.stop(each, deadline_of_one(deadline)); !stopped)
      return stopped;
  }
  return {};
}

Result<void> SystemService::check_allowed(const std::string& service, const char* operation) const {
  if (allowed_.allows(service)) return {};
  return Error(StatusCode::kPermissionDenied, operation, service)
      .because("the administrator has not allowed it")
      .advise(
          "the option allowed_services of the module names the services that may be started "
          "and stopped");
}

// What needs the service comes before it, however many ways lead to it; services that need each
// other in a circle are each taken once.
Result<void> SystemService::collect(const std::string& service, const Deadline& deadline,
                                    StopOrder& order) const {
  order.seen.insert(comparable_name(service));
  const Result<std::vector<std::string>> dependants =
      backend_.running_dependants(service, deadline);
  if (!dependants) return dependants.error();
  for (const std::string& dependant : *dependants) {
    if (order.seen.contains(comparable_name(dependant))) continue;
    if (Result<void> done = collect(dependant, deadline, order); !done) return done;
  }
  order.services.push_back(service);
  return {};
}

Deadline SystemService::deadline_of_one(const Deadline& deadline) const {
  return {std::min(deadline.time, Deadline::Clock::now() + timeout_), deadline.cancelled};
}

}  // namespace longshore::system
