// The system group on Windows: the firmware's table for the serial number, the service control
// manager for the services.
//
// The manager is asked anew by every call; it has no connection that could break. What may block
// there, starting and controlling, is done on threads of its own, so that a call ends with its
// deadline.
//
// Threads: any number at once. Owner: outlives its calls. On destruction it waits for what the
// manager has not answered.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "support/abandonable_calls.h"
#include "system/system_backend.h"
#include "system/windows/firmware_table.h"
#include "system/windows/service_control_manager.h"
#include "system/windows/service_error.h"

namespace longshore::system {

class SystemBackendWindows final : public SystemBackend {
 public:
  SystemBackendWindows(std::shared_ptr<ServiceControlManager> manager,
                       std::shared_ptr<FirmwareTable> table)
      : manager_(std::move(manager)), table_(std::move(table)) {}

  Result<std::string> bios_serial_number() override;
  Result<ServiceInfo> query(const std::string& service, const Deadline& deadline) override;
  Result<std::vector<std::string>> running_dependants(const std::string& service,
                                                      const Deadline& deadline) override;
  Result<void> start(const std::string& service, const Deadline& deadline) override;
  Result<void> stop(const std::string& service, const Deadline& deadline) override;

 private:
  using SharedHandle = std::shared_ptr<ServiceHandle>;

  Result<SharedHandle> open(const ServicePurpose& purpose, DWORD access);
  // The manager's code, or why it has not answered.
  Result<DWORD> ask(const SharedHandle& service, const ServicePurpose& purpose,
                    const Deadline& deadline,
                    DWORD (*question)(ServiceControlManager& manager, SC_HANDLE service));
  Result<DWORD> request_start(const SharedHandle& service, const ServicePurpose& purpose,
                              const Deadline& deadline);
  // Why the manager's answer to a start was this code.
  Error start_refusal(const SharedHandle& service, const ServicePurpose& purpose, DWORD code);
  Result<void> await_running(const SharedHandle& service, const ServicePurpose& purpose,
                             const Deadline& deadline);
  Result<void> await_stopped(const SharedHandle& service, const ServicePurpose& purpose,
                             const Deadline& deadline);

  const std::shared_ptr<ServiceControlManager> manager_;
  const std::shared_ptr<FirmwareTable> table_;
  support::AbandonableCalls<Result<DWORD>> calls_{16};
};

}  // namespace longshore::system
