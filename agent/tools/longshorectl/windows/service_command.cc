// `longshorectl service`: by the service control manager's own functions.
#include <windows.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <optional>
#include <thread>
#include <utility>

#include "longshore/windows/command_line.hpp"
#include "longshore/windows/handle.hpp"
#include "longshore/windows/wide_text.hpp"
#include "tools/longshorectl/commands.h"
#include "tools/longshorectl/windows/service_settings.h"

namespace longshore::ctl {
namespace {

constexpr const wchar_t* kName = L"longshored";  // as in main/windows/windows_control.h
constexpr const wchar_t* kEventSource =
    L"SYSTEM\\CurrentControlSet\\Services\\EventLog\\Application\\longshored";
constexpr std::chrono::minutes kStopTime{2};
constexpr std::chrono::milliseconds kStopPoll{100};

class ScmHandle {
 public:
  // `handle` is what the function that opens it has just returned.
  explicit ScmHandle(SC_HANDLE handle) : handle_(handle), error_(error_unless(handle != nullptr)) {}
  ~ScmHandle() {
    if (handle_) CloseServiceHandle(handle_);
  }
  ScmHandle(ScmHandle&& other) noexcept
      : handle_(std::exchange(other.handle_, nullptr)), error_(other.error_) {}
  ScmHandle& operator=(ScmHandle&&) = delete;

  explicit operator bool() const { return handle_ != nullptr; }
  // Why it could not be opened.
  const std::error_code& error() const { return error_; }
  SC_HANDLE get() const { return handle_; }

 private:
  SC_HANDLE handle_;
  std::error_code error_;
};

Error failed(const char* operation, const std::error_code& code) {
  Error error(StatusCode::kUnknown, operation, narrow(kName));
  switch (code.value()) {
    case ERROR_ACCESS_DENIED:
      return std::move(error).because(code).advise("run this as an administrator");
    case ERROR_SERVICE_DOES_NOT_EXIST:
      return std::move(error).because(code).advise("longshorectl service install installs it");
    case ERROR_SERVICE_EXISTS:
      return std::move(error).because(code).advise("longshorectl service uninstall removes it");
    default:
      return std::move(error).because(code);
  }
}

Result<ScmHandle> open_service(DWORD access) {
  const ScmHandle manager(OpenSCManagerW(nullptr, nullptr, SC_MANAGER_CONNECT));
  if (!manager) return failed("reach the service control manager for", manager.error());
  ScmHandle service(OpenServiceW(manager.get(), kName, access));
  if (!service) return failed("open the service", service.error());
  return service;
}

std::filesystem::path agent_program() {
  std::array<wchar_t, 32768> path{};
  GetModuleFileNameW(nullptr, path.data(), static_cast<DWORD>(path.size()));
  return std::filesystem::path(path.data()).parent_path() / "longshored.exe";
}

// The description, restarts and the late start; says which of them this Windows does not know.
Result<void> configure(const Report& report, const ScmHandle& service) {
  const auto unknown = set_service_settings([&](DWORD level, void* setting) -> DWORD {
    return ChangeServiceConfig2W(service.get(), level, setting) ? ERROR_SUCCESS : GetLastError();
  });
  if (!unknown) return unknown.error();
  for (const std::string& setting : *unknown) {
    report.line("this Windows does not know " + PrintedText(setting) +
                ": the service works without");
  }
  return {};
}

// Its name in the event log, so that what it writes there is shown without a complaint.
std::error_code register_event_source(const std::filesystem::path& program) {
  HKEY opened = nullptr;
  const auto code = [](LSTATUS status) {
    return std::error_code(static_cast<int>(status), std::system_category());
  };
  LSTATUS status = RegCreateKeyExW(HKEY_LOCAL_MACHINE, kEventSource, 0, nullptr, 0, KEY_SET_VALUE,
                                   nullptr, &opened, nullptr);
  if (status != ERROR_SUCCESS) return code(status);
  const std::wstring file = program.wstring();
  const DWORD types = EVENTLOG_ERROR_TYPE | EVENTLOG_WARNING_TYPE | EVENTLOG_INFORMATION_TYPE;
  status = RegSetValueExW(opened, L"EventMessageFile", 0, REG_EXPAND_SZ,
                          reinterpret_cast<const BYTE*>(file.c_str()),
                          static_cast<DWORD>((file.size() + 1) * sizeof(wchar_t)));
  if (status == ERROR_SUCCESS) {
    status = RegSetValueExW(opened, L"TypesSupported", 0, REG_DWORD,
                            reinterpret_cast<const BYTE*>(&types), sizeof(types));
  }
  RegCloseKey(opened);
  return code(status);
}

std::optional<DWORD> state_of(const ScmHandle& service) {
  SERVICE_STATUS_PROCESS status{};
  DWORD size = 0;
  if (!QueryServiceStatusEx(service.get(), SC_STATUS_PROCESS_INFO, reinterpret_cast<BYTE*>(&status),
                            sizeof(status), &size)) {
    return std::nullopt;
  }
  return status.dwCurrentState;
}

const char* words_of(DWORD state) {
  switch (state) {
    case SERVICE_STOPPED:
      return "stopped";
    case SERVICE_START_PENDING:
      return "starting";
    case SERVICE_STOP_PENDING:
      return "stopping";
    case SERVICE_RUNNING:
      return "running";
    default:
      return "in an unknown state";
  }
}

Result<void> stop(const ScmHandle& service) {
  SERVICE_STATUS status{};
  const std::error_code error =
      error_unless(::ControlService(service.get(), SERVICE_CONTROL_STOP, &status) != FALSE);
  if (error && error.value() != ERROR_SERVICE_NOT_ACTIVE &&
      error.value() != ERROR_SERVICE_CANNOT_ACCEPT_CTRL) {
    return failed("stop the service", error);
  }
  const auto end = std::chrono::steady_clock::now() + kStopTime;
  while (state_of(service).value_or(SERVICE_STOPPED) != SERVICE_STOPPED) {
    if (std::chrono::steady_clock::now() > end) {
      return Error(StatusCode::kDeadlineExceeded, "stop the service", narrow(kName))
          .because("it has not stopped within two minutes");
    }
    std::this_thread::sleep_for(kStopPoll);  // the manager tells no other way
  }
  return {};
}

// As the manager takes them: one after the other, each with its end, and an end of its own for all.
std::wstring names_of(const std::vector<std::string>& services) {
  std::wstring names;
  for (const std::string& service : services) names += wide(service) + L'\0';
  return names + L'\0';
}

Result<ScmHandle> create(const ServiceRequest& request, const std::filesystem::path& program) {
  const ScmHandle manager(
      OpenSCManagerW(nullptr, nullptr, SC_MANAGER_CONNECT | SC_MANAGER_CREATE_SERVICE));
  if (!manager) return failed("reach the service control manager for", manager.error());
  const std::array<std::wstring, 4> words = {program.wstring(), L"--service", L"--config",
                                             wide(request.config_file)};
  ScmHandle service(CreateServiceW(manager.get(), kName, L"Longshore storage agent",
                                   SERVICE_ALL_ACCESS, SERVICE_WIN32_OWN_PROCESS,
                                   SERVICE_AUTO_START, SERVICE_ERROR_NORMAL,
                                   command_line(words).c_str(), nullptr, nullptr,
                                   names_of(request.depends_on).c_str(), nullptr, nullptr));
  if (!service) return failed("install the service", service.error());
  return service;
}

}  // namespace

int install_service(const Report& report, const ServiceRequest& request) {
  const std::filesystem::path program = agent_program();
  const auto service = create(request, program);
  if (!service) return report.fail(kExitFaultyInput, service.error());
  const auto configured = configure(report, *service);
  if (const std::error_code unregistered = register_event_source(program)) {
    report.line(
        "its name in the event log is not registered, so its events are shown with a note: " +
        unregistered.message());
  }
  if (request.starts) {
    const std::error_code error = error_unless(StartServiceW(service->get(), 0, nullptr) != FALSE);
    if (error) return report.fail(kExitFaultyInput, failed("start the service", error));
  }
  report.line("the service longshored is installed");
  if (request.starts) report.line("it is started");
  if (!configured) return report.fail(kExitFaultyInput, configured.error());
  return kExitOk;
}

int configure_service(const Report& report) {
  // Who has a service restarted must have the right to start it.
  const auto service = open_service(SERVICE_CHANGE_CONFIG | SERVICE_START);
  if (!service) return report.fail(kExitFaultyInput, service.error());
  if (const auto configured = configure(report, *service); !configured) {
    return report.fail(kExitFaultyInput, configured.error());
  }
  report.line("the service longshored is configured");
  return kExitOk;
}

int uninstall_service(const Report& report) {
  const auto service = open_service(SERVICE_STOP | SERVICE_QUERY_STATUS | DELETE);
  if (!service) return report.fail(kExitFaultyInput, service.error());
  if (const auto stopped = stop(*service); !stopped) {
    return report.fail(kExitFaultyInput, stopped.error());
  }
  if (const std::error_code error = error_unless(DeleteService(service->get()) != FALSE)) {
    return report.fail(kExitFaultyInput, failed("remove the service", error));
  }
  RegDeleteKeyW(HKEY_LOCAL_MACHINE, kEventSource);
  report.line("the service longshored is removed");
  return kExitOk;
}

int show_service(const Report& report) {
  const auto service = open_service(SERVICE_QUERY_STATUS);
  if (!service) return report.fail(kExitFaultyInput, service.error());
  const auto state = state_of(*service);
  const std::error_code error = error_unless(state.has_value());
  if (!state) {
    return report.fail(kExitFaultyInput, failed("ask for the state of the service", error));
  }
  report.line("the service longshored is " + PrintedText(std::string(words_of(*state))));
  return kExitOk;
}

}  // namespace longshore::ctl
