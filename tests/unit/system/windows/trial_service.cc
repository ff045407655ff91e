// A service of Windows' for tests: trial_service.exe <name> [fails]. It takes two steps to start
// and to stop, or fails with a code of its own.
#include <windows.h>

#include <cstring>
#include <string>

namespace {

SERVICE_STATUS_HANDLE handle = nullptr;
std::wstring own_name;
bool fails = false;

void report(DWORD state, DWORD check_point = 0, DWORD specific_exit_code = 0) {
  SERVICE_STATUS status{};
  status.dwServiceType = SERVICE_WIN32_OWN_PROCESS;
  status.dwCurrentState = state;
  status.dwControlsAccepted = state == SERVICE_RUNNING ? SERVICE_ACCEPT_STOP : 0;
  status.dwWin32ExitCode = specific_exit_code != 0 ? ERROR_SERVICE_SPECIFIC_ERROR : NO_ERROR;
  status.dwServiceSpecificExitCode = specific_exit_code;
  status.dwCheckPoint = check_point;
  status.dwWaitHint = check_point != 0 ? 1000 : 0;
  SetServiceStatus(handle, &status);
}

DWORD WINAPI heed(DWORD control, DWORD, void*, void*) {
  if (control == SERVICE_CONTROL_STOP) {
    report(SERVICE_STOP_PENDING, 1);
    report(SERVICE_STOP_PENDING, 2);
    report(SERVICE_STOPPED);
    return NO_ERROR;
  }
  return control == SERVICE_CONTROL_INTERROGATE ? NO_ERROR : ERROR_CALL_NOT_IMPLEMENTED;
}

void WINAPI serve(DWORD, wchar_t**) {
  handle = RegisterServiceCtrlHandlerExW(own_name.c_str(), heed, nullptr);
  if (handle == nullptr) return;
  report(SERVICE_START_PENDING, 1);
  report(SERVICE_START_PENDING, 2);
  if (fails) {
    report(SERVICE_STOPPED, 0, 42);
  } else {
    report(SERVICE_RUNNING);
  }
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 2) return 2;
  own_name.assign(arguments[1], arguments[1] + std::strlen(arguments[1]));
  fails = count > 2 && std::strcmp(arguments[2], "fails") == 0;
  const SERVICE_TABLE_ENTRYW services[] = {{own_name.data(), serve}, {nullptr, nullptr}};
  return StartServiceCtrlDispatcherW(services) != FALSE ? 0 : 1;
}
