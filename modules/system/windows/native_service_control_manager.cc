// The functions of advapi32.dll behind ServiceControlManager.
#include <thread>

#include "system/windows/service_control_manager.h"

namespace longshore::system {
namespace {

DWORD code_of(BOOL done) { return done != FALSE ? ERROR_SUCCESS : GetLastError(); }

DWORD code_of(SC_HANDLE handle) { return handle != nullptr ? ERROR_SUCCESS : GetLastError(); }

class NativeServiceControlManager final : public ServiceControlManager {
 public:
  DWORD open_manager(SC_HANDLE& manager) override {
    manager = OpenSCManagerW(nullptr, nullptr, SC_MANAGER_CONNECT);
    return code_of(manager);
  }

  DWORD open_service(SC_HANDLE manager, const std::wstring& name, DWORD access,
                     SC_HANDLE& service) override {
    service = OpenServiceW(manager, name.c_str(), access);
    return code_of(service);
  }

  DWORD query_status(SC_HANDLE service, SERVICE_STATUS_PROCESS& status) override {
    DWORD needed = 0;
    return code_of(QueryServiceStatusEx(service, SC_STATUS_PROCESS_INFO,
                                        reinterpret_cast<BYTE*>(&status), sizeof(status), &needed));
  }

  DWORD query_config(SC_HANDLE service, std::span<std::byte> buffer, DWORD& needed) override {
    return code_of(QueryServiceConfigW(service,
                                       reinterpret_cast<QUERY_SERVICE_CONFIGW*>(buffer.data()),
                                       static_cast<DWORD>(buffer.size()), &needed));
  }

  DWORD enumerate_dependants(SC_HANDLE service, std::span<std::byte> buffer, DWORD& needed,
                             DWORD& count) override {
    return code_of(EnumDependentServicesW(service, SERVICE_ACTIVE,
                                          reinterpret_cast<ENUM_SERVICE_STATUSW*>(buffer.data()),
                                          static_cast<DWORD>(buffer.size()), &needed, &count));
  }

  DWORD start(SC_HANDLE service) override { return code_of(StartServiceW(service, 0, nullptr)); }

  DWORD control(SC_HANDLE service, DWORD control) override {
    SERVICE_STATUS status{};
    return code_of(::ControlService(service, control, &status));
  }

  void close(SC_HANDLE handle) override { CloseServiceHandle(handle); }

  void pause(std::chrono::milliseconds time) override { std::this_thread::sleep_for(time); }
};

}  // namespace

std::unique_ptr<ServiceControlManager> native_service_control_manager() {
  return std::make_unique<NativeServiceControlManager>();
}

}  // namespace longshore::system
