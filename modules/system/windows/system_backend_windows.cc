#include "system/windows/system_backend_windows.h"

#include <system_error>

#include "longshore/windows/wide_text.hpp"
#include "system/service_name.h"
#include "system/windows/service_queries.h"
#include "system/windows/service_wait.h"
#include "system/windows/smbios.h"

namespace longshore::system {
namespace {

constexpr const char* kReadSerial = "read the machine's serial number";

ServiceStatus status_of(DWORD state) {
  switch (state) {
    case SERVICE_STOPPED:
      return ServiceStatus::kStopped;
    case SERVICE_START_PENDING:
      return ServiceStatus::kStartPending;
    case SERVICE_STOP_PENDING:
      return ServiceStatus::kStopPending;
    case SERVICE_RUNNING:
      return ServiceStatus::kRunning;
    case SERVICE_CONTINUE_PENDING:
      return ServiceStatus::kContinuePending;
    case SERVICE_PAUSE_PENDING:
      return ServiceStatus::kPausePending;
    case SERVICE_PAUSED:
      return ServiceStatus::kPaused;
    default:
      return ServiceStatus::kUnknown;
  }
}

Result<StartType> start_type_of(DWORD number, const ServicePurpose& purpose) {
  switch (number) {
    case SERVICE_BOOT_START:
      return StartType::kBoot;
    case SERVICE_SYSTEM_START:
      return StartType::kSystem;
    case SERVICE_AUTO_START:
      return StartType::kAutomatic;
    case SERVICE_DEMAND_START:
      return StartType::kManual;
    case SERVICE_DISABLED:
      return StartType::kDisabled;
    default:
      return purpose.error(StatusCode::kInternal)
          .because("Windows has no start type " + std::to_string(number));
  }
}

bool has_state(const SERVICE_STATUS_PROCESS& status, DWORD state) {
  return status.dwCurrentState == state;
}

Error no_answer(const ServicePurpose& purpose, const Deadline& deadline,
                const std::error_code& error) {
  if (error == std::errc::timed_out) {
    if (auto over = deadline.exceeded(purpose.operation, purpose.service)) return *std::move(over);
  }
  if (error == std::errc::connection_already_in_progress) {
    return purpose.error(StatusCode::kUnavailable)
        .because("the service control manager has not answered an earlier call for this service")
        .advise("try again");
  }
  return purpose.error(StatusCode::kUnavailable)
      .because("the service control manager does not answer: " + error.message());
}

}  // namespace

Result<std::string> SystemBackendWindows::bios_serial_number() {
  constexpr DWORD kMostBytes = 16 * 1024 * 1024;
  std::vector<std::byte> table(64 * 1024);
  DWORD code = ERROR_SUCCESS;
  DWORD size = table_->read(table, code);
  if (size > table.size() && size <= kMostBytes) {
    table.resize(size);
    size = table_->read(table, code);
  }
  if (size == 0 && code != ERROR_SUCCESS) {
    const std::error_code error(static_cast<int>(code), std::system_category());
    return Error(StatusCode::kNotFound, kReadSerial)
        .because("Windows has no table of its firmware (SMBIOS): " + error.message());
  }
  if (size <= table.size()) {
    table.resize(size);
    if (auto serial = smbios_serial_number(table)) return *std::move(serial);
  }
  return Error(StatusCode::kNotFound, kReadSerial)
      .because("its firmware's table (SMBIOS) has none");
}

Result<SystemBackendWindows::SharedHandle> SystemBackendWindows::open(const ServicePurpose& purpose,
                                                                      DWORD access) {
  SC_HANDLE handle = nullptr;
  DWORD code = manager_->open_manager(handle);
  if (code != ERROR_SUCCESS) return service_error(purpose, code);
  const ServiceHandle manager(*manager_, handle);
  SC_HANDLE service = nullptr;
  code = manager_->open_service(manager.get(), wide(purpose.service), access, service);
  if (code != ERROR_SUCCESS) return service_error(purpose, code);
  return std::make_shared<ServiceHandle>(*manager_, service);
}

Result<ServiceInfo> SystemBackendWindows::query(const std::string& service, const Deadline&) {
  const ServicePurpose purpose{"look up the service", service};
  const auto handle = open(purpose, SERVICE_QUERY_STATUS | SERVICE_QUERY_CONFIG);
  if (!handle) return handle.error();
  const auto status = read_status(*manager_, (*handle)->get(), purpose);
  if (!status) return status.error();
  auto config = read_config(*manager_, (*handle)->get(), purpose);
  if (!config) return std::move(config).error();
  const auto start_type = start_type_of(config->start_type, purpose);
  if (!start_type) return start_type.error();
  return ServiceInfo{std::move(config->display_name), *start_type,
                     status_of(status->dwCurrentState)};
}

Result<std::vector<std::string>> SystemBackendWindows::running_dependants(
    const std::string& service, const Deadline&) {
  const ServicePurpose purpose{"look up what needs the service", service};
  const auto handle = open(purpose, SERVICE_ENUMERATE_DEPENDENTS);
  if (!handle) return handle.error();
  return read_dependants(*manager_, (*handle)->get(), purpose);
}

Result<DWORD> SystemBackendWindows::ask(const SharedHandle& service, const ServicePurpose& purpose,
                                        const Deadline& deadline,
                                        DWORD (*question)(ServiceControlManager& manager,
                                                          SC_HANDLE service)) {
  return calls_.run(
      comparable_name(purpose.service), deadline,
      [this, service, question]() -> Result<DWORD> { return question(*manager_, service->get()); },
      [&](const std::error_code& error) -> Result<DWORD> {
        return no_answer(purpose, deadline, error);
      });
}

Result<void> SystemBackendWindows::start(const std::string& service, const Deadline& deadline) {
  const ServicePurpose purpose{"start the service", service};
  const auto handle = open(purpose, SERVICE_QUERY_STATUS | SERVICE_START);
  if (!handle) return handle.error();
  // One that is about to stop has to have stopped before it can start.
  const auto before = await_status(*manager_, (*handle)->get(), purpose, "to stop before it starts",
                                   deadline, [](const SERVICE_STATUS_PROCESS& status) {
                                     return !has_state(status, SERVICE_STOP_PENDING);
                                   });
  if (!before) return before.error();
  if (has_state(*before, SERVICE_RUNNING)) return {};
  if (has_state(*before, SERVICE_PAUSED) || has_state(*before, SERVICE_PAUSE_PENDING)) {
    return purpose.error(StatusCode::kFailedPrecondition)
        .because("it is paused")
        .advise("whoever paused it has to continue it (sc continue), or stop it");
  }
  if (has_state(*before, SERVICE_STOPPED)) {
    const Result<DWORD> code = request_start(*handle, purpose, deadline);
    if (!code) return code.error();
    if (*code != ERROR_SUCCESS && *code != ERROR_SERVICE_ALREADY_RUNNING) {
      return start_refusal(*handle, purpose, *code);
    }
  }
  return await_running(*handle, purpose, deadline);
}

// A program that has ended before the manager looks is for the manager one that does not answer.
// What the service has said of its end tells more.
Error SystemBackendWindows::start_refusal(const SharedHandle& service,
                                          const ServicePurpose& purpose, DWORD code) {
  if (code == ERROR_SERVICE_REQUEST_TIMEOUT) {
    const auto status = read_status(*manager_, service->get(), purpose);
    if (status && has_state(*status, SERVICE_STOPPED) &&
        status->dwWin32ExitCode == ERROR_SERVICE_SPECIFIC_ERROR) {
      return start_failure(purpose, *status);
    }
  }
  return service_error(purpose, code);
}

// The manager's database is locked while another service starts, and at boot: no failure of this
// one's.
Result<DWORD> SystemBackendWindows::request_start(const SharedHandle& service,
                                                  const ServicePurpose& purpose,
                                                  const Deadline& deadline) {
  constexpr std::chrono::milliseconds kPause{100};
  constexpr std::chrono::milliseconds kPatience{30'000};
  for (std::chrono::milliseconds waited{0};; waited += kPause) {
    Result<DWORD> code =
        ask(service, purpose, deadline,
            [](ServiceControlManager& manager, SC_HANDLE each) { return manager.start(each); });
    if (!code || *code != ERROR_SERVICE_DATABASE_LOCKED || waited >= kPatience) return code;
    if (auto over = deadline.exceeded(purpose.operation, purpose.service)) return *std::move(over);
    manager_->pause(kPause);
  }
}

Result<void> SystemBackendWindows::await_running(const SharedHandle& service,
                                                 const ServicePurpose& purpose,
                                                 const Deadline& deadline) {
  const auto status =
      await_status(*manager_, service->get(), purpose, "to become running", deadline,
                   [](const SERVICE_STATUS_PROCESS& each) {
                     return has_state(each, SERVICE_RUNNING) || has_state(each, SERVICE_STOPPED);
                   });
  if (!status) return status.error();
  return has_state(*status, SERVICE_RUNNING) ? Result<void>() : start_failure(purpose, *status);
}

Result<void> SystemBackendWindows::stop(const std::string& service, const Deadline& deadline) {
  const ServicePurpose purpose{"stop the service", service};
  const auto handle = open(purpose, SERVICE_QUERY_STATUS | SERVICE_STOP);
  if (!handle) return handle.error();
  // One that is about to start takes no request to stop.
  const auto before = await_status(*manager_, (*handle)->get(), purpose, "to stop", deadline,
                                   [](const SERVICE_STATUS_PROCESS& status) {
                                     return !has_state(status, SERVICE_START_PENDING) &&
                                            !has_state(status, SERVICE_CONTINUE_PENDING) &&
                                            !has_state(status, SERVICE_PAUSE_PENDING);
                                   });
  if (!before) return before.error();
  if (has_state(*before, SERVICE_STOPPED)) return {};
  if (!has_state(*before, SERVICE_STOP_PENDING)) {
    const Result<DWORD> code =
        ask(*handle, purpose, deadline, [](ServiceControlManager& manager, SC_HANDLE each) {
          return manager.control(each, SERVICE_CONTROL_STOP);
        });
    if (!code) return code.error();
    if (*code == ERROR_SERVICE_NOT_ACTIVE) return {};
    // Somebody else's request may have come first, and then it stops too.
    const auto now = read_status(*manager_, (*handle)->get(), purpose);
    if (!now) return now.error();
    const bool stops = has_state(*now, SERVICE_STOP_PENDING) || has_state(*now, SERVICE_STOPPED);
    if (*code != ERROR_SUCCESS && !stops) return service_error(purpose, *code);
  }
  return await_stopped(*handle, purpose, deadline);
}

Result<void> SystemBackendWindows::await_stopped(const SharedHandle& service,
                                                 const ServicePurpose& purpose,
                                                 const Deadline& deadline) {
  const auto status = await_status(
      *manager_, service->get(), purpose, "to stop", deadline,
      [](const SERVICE_STATUS_PROCESS& each) { return has_state(each, SERVICE_STOPPED); });
  if (!status) return status.error();
  return {};
}

}  // namespace longshore::system
