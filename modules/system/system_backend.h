// What the system group needs of the operating system.
//
// Services are given by their whole name, checked; see service_name.h.
//
// Threads: any number at once. No function blocks past the deadline it is given: what takes longer
// is DEADLINE_EXCEEDED, or CANCELLED once nobody waits, and goes on by itself.
#pragma once

#include <string>
#include <vector>

#include "longshore/deadline.hpp"
#include "longshore/result.hpp"

namespace longshore::system {

// The last three are Windows' only.
enum class ServiceStatus {
  kUnknown,
  kStopped,
  kStartPending,
  kStopPending,
  kRunning,
  kContinuePending,
  kPausePending,
  kPaused,
};

// kBoot, kSystem: drivers that Windows starts on its way up. kAutomatic: started with the node.
// kManual: when somebody asks. kDisabled: not even then.
enum class StartType { kBoot, kSystem, kAutomatic, kManual, kDisabled };

struct ServiceInfo {
  std::string display_name;
  StartType start_type = StartType::kManual;
  ServiceStatus status = ServiceStatus::kUnknown;
};

class SystemBackend {
 public:
  virtual ~SystemBackend() = default;

  // NOT_FOUND: the machine has none. PERMISSION_DENIED: this process may not read it.
  virtual Result<std::string> bios_serial_number() = 0;

  // NOT_FOUND: there is no such service. UNAVAILABLE: the service manager does not answer; so for
  // the three below.
  virtual Result<ServiceInfo> query(const std::string& service, const Deadline& deadline) = 0;

  // What is running and would be stopped together with the service, units of any kind among it: at
  // least what needs it directly.
  virtual Result<std::vector<std::string>> running_dependants(const std::string& service,
                                                              const Deadline& deadline) = 0;

  // Starts the service and waits until it runs; one that runs already is success.
  // FAILED_PRECONDITION: it cannot start, or did not. ABORTED: somebody else prevented it.
  virtual Result<void> start(const std::string& service, const Deadline& deadline) = 0;

  // Stops the service, or on Linux a unit of any kind, and waits until it has stopped; one that is
  // stopped is success.
  virtual Result<void> stop(const std::string& service, const Deadline& deadline) = 0;
};

}  // namespace longshore::system
