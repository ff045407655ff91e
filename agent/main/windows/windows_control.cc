#include "main/windows/windows_control.h"

#include <utility>

#include "core/version.h"
#include "longshore/windows/handle.hpp"
#include "main/agent.h"
#include "main/windows/service_events.h"

namespace longshore {
namespace {

// What the manager waits for the next report before it thinks that the service hangs.
constexpr DWORD kHintMilliseconds = 30'000;

// The functions that Windows calls get no context of ours: neither the console's handler nor the
// main function of a service. There is one console and one service in a process.
ConsoleControl* console = nullptr;
const std::function<int(ProcessControl&)>* service_work = nullptr;
int service_exit_code = 0;

void WINAPI service_main(DWORD, wchar_t**) {
  ServiceControl control(kServiceName);
  if (!control.is_known()) return;
  service_exit_code = (*service_work)(control);
  control.report_end(service_exit_code);
}

}  // namespace

AskedByControl asked_by(DWORD control) {
  switch (control) {
    case SERVICE_CONTROL_STOP:
      return {.end = "the service is stopped"};
    case SERVICE_CONTROL_SHUTDOWN:
    case SERVICE_CONTROL_PRESHUTDOWN:
      return {.end = "the system is shut down"};
    case SERVICE_CONTROL_PARAMCHANGE:
      return {.reload = true};
    case SERVICE_CONTROL_INTERROGATE:
      return {};  // the manager has the last report
    default:
      return {.answer = ERROR_CALL_NOT_IMPLEMENTED};
  }
}

void AskedAgent::set(Agent* agent) {
  const std::lock_guard lock(mutex_);
  agent_ = agent;
}

void AskedAgent::end(const char* reason) {
  const std::lock_guard lock(mutex_);
  if (agent_) agent_->request_end(reason);
}

void AskedAgent::reload() {
  const std::lock_guard lock(mutex_);
  if (agent_) agent_->request_reload();
}

ConsoleControl::ConsoleControl() {
  console = this;
  SetConsoleCtrlHandler(&on_event, TRUE);
}

ConsoleControl::~ConsoleControl() {
  SetConsoleCtrlHandler(&on_event, FALSE);
  console = nullptr;
}

BOOL WINAPI ConsoleControl::on_event(DWORD event) {
  if (event != CTRL_CLOSE_EVENT && event != CTRL_LOGOFF_EVENT && event != CTRL_SHUTDOWN_EVENT) {
    return FALSE;  // the C library makes a signal of it
  }
  if (console) console->agent_.end("the console ends");
  Sleep(INFINITE);  // main ends the process
  return TRUE;
}

ServiceControl::ServiceControl(const wchar_t* name)
    : status_(RegisterServiceCtrlHandlerExW(name, &on_control, this)) {
  report(SERVICE_START_PENDING);
}

DWORD WINAPI ServiceControl::on_control(DWORD control, DWORD, void*, void* self) {
  auto& service = *static_cast<ServiceControl*>(self);
  const AskedByControl asked = asked_by(control);
  if (asked.end) {
    service.report(SERVICE_STOP_PENDING);
    service.agent_.end(asked.end);
  }
  if (asked.reload) service.agent_.reload();
  return asked.answer;
}

void ServiceControl::notify(std::string_view state) {
  if (state == "READY=1") {
    report(SERVICE_RUNNING);
    // After a reload it comes again.
    if (!has_served_.exchange(true)) tell_event(ServiceEvent::kServes, core::kVersion);
  }
  if (state == "STOPPING=1") report(SERVICE_STOP_PENDING);
}

// The event comes first: the process may be gone after the report.
void ServiceControl::report_end(int exit_code) {
  if (exit_code == 0) {
    tell_event(ServiceEvent::kStopped, core::kVersion);
  } else {
    tell_event(ServiceEvent::kFailed, "exit code " + std::to_string(exit_code) + ". " + failure_);
  }
  report(SERVICE_STOPPED, static_cast<DWORD>(exit_code));
}

void ServiceControl::report(DWORD state, DWORD exit_code) {
  const std::lock_guard lock(mutex_);
  if (state_ == SERVICE_STOPPED) return;
  // A reload that ends while the service stops does not make it run again.
  if (state_ == SERVICE_STOP_PENDING && state == SERVICE_RUNNING) return;
  state_ = state;
  const bool is_pending = state == SERVICE_START_PENDING || state == SERVICE_STOP_PENDING;
  SERVICE_STATUS status{};
  status.dwServiceType = SERVICE_WIN32_OWN_PROCESS;
  status.dwCurrentState = state;
  if (state == SERVICE_RUNNING) {
    status.dwControlsAccepted =
        SERVICE_ACCEPT_STOP | SERVICE_ACCEPT_SHUTDOWN | SERVICE_ACCEPT_PARAMCHANGE;
  }
  status.dwWin32ExitCode = exit_code == 0 ? NO_ERROR : ERROR_SERVICE_SPECIFIC_ERROR;
  status.dwServiceSpecificExitCode = exit_code;
  status.dwCheckPoint = is_pending ? ++checkpoint_ : 0;
  status.dwWaitHint = is_pending ? kHintMilliseconds : 0;
  if (status_) SetServiceStatus(status_, &status);
}

Result<int> run_service(const std::function<int(ProcessControl&)>& work) {
  service_work = &work;
  std::wstring name = kServiceName;
  const SERVICE_TABLE_ENTRYW table[] = {{name.data(), &service_main}, {nullptr, nullptr}};
  const std::error_code error = error_unless(StartServiceCtrlDispatcherW(table) != FALSE);
  if (!error) return service_exit_code;
  return Error(StatusCode::kFailedPrecondition, "run as a service")
      .because(error)
      .advise("--service is for the service control manager; see longshorectl service install");
}

std::unique_ptr<ProcessControl> ProcessControl::make() {
  return std::make_unique<ConsoleControl>();
}

}  // namespace longshore
