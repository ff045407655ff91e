// The system group: what its methods mean on every system.
//
// Reading a service's state is open to every caller. Starting and stopping needs the service in the
// option `allowed_services`: csi-proxy lets whoever may open its pipe stop every service of the
// node, which no driver needs; what drivers do is to start the iSCSI initiator.
//
// Threads: any number at once. Owner: outlives its calls; the backend outlives it.
#pragma once

#include <chrono>
#include <set>
#include <string>
#include <vector>

#include "longshore/deadline.hpp"
#include "longshore/result.hpp"
#include "system/system_backend.h"

namespace longshore::system {

// The services that callers may start and stop.
class AllowedServices {
 public:
  // Names as dependant_name() takes them; "*" allows all, an empty list none. What is no service
  // may be named too, so that stopping a service with force may stop it. INVALID_ARGUMENT: a bad
  // name.
  static Result<AllowedServices> from(const std::vector<std::string>& names);

  bool allows(const std::string& service) const;

 private:
  bool all_ = false;
  std::set<std::string> names_;  // comparable
};

class SystemService {
 public:
  // `timeout`: how long to wait for one service to start or stop, if the call's deadline is later.
  SystemService(AllowedServices allowed, std::chrono::nanoseconds timeout, SystemBackend& backend)
      : allowed_(std::move(allowed)), timeout_(timeout), backend_(backend) {}

  Result<std::string> bios_serial_number() const { return backend_.bios_serial_number(); }

  Result<ServiceInfo> get_service(const std::string& name, const Deadline& deadline) const;

  // Success if it runs in the end, also if it did before.
  Result<void> start_service(const std::string& name, const Deadline& deadline) const;

  // Success if it is stopped in the end. With running dependants: FAILED_PRECONDITION, or with
  // `force` they are stopped first, those that nothing needs before those that they need. If one of
  // them is not allowed, nothing is stopped.
  Result<void> stop_service(const std::string& name, bool force, const Deadline& deadline) const;

 private:
  struct StopOrder;

  Result<void> check_allowed(const std::string& service, const char* operation) const;
  Result<void> collect(const std::string& service, const Deadline& deadline,
                       StopOrder& order) const;
  Deadline deadline_of_one(const Deadline& deadline) const;

  AllowedServices allowed_;
  std::chrono::nanoseconds timeout_;
  SystemBackend& backend_;
};

}  // namespace longshore::system
