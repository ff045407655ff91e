// Services that a test installs in the service control manager that is there, and removes.
#pragma once

#include <windows.h>

#include <filesystem>
#include <stdexcept>
#include <string>

#include "longshore/windows/wide_text.hpp"

namespace longshore::system {

// The folder that this program lies in.
inline std::filesystem::path own_folder() {
  std::wstring path(32'768, L'\0');
  path.resize(GetModuleFileNameW(nullptr, path.data(), static_cast<DWORD>(path.size())));
  return std::filesystem::path(path).parent_path();
}

class TrialService {
 public:
  explicit TrialService(const std::string& name, DWORD start_type = SERVICE_DEMAND_START,
                        const std::string& argument = {}) {
    manager_ = OpenSCManagerW(nullptr, nullptr, SC_MANAGER_ALL_ACCESS);
    if (manager_ == nullptr) throw std::runtime_error("no service control manager");
    const std::wstring command = L"\"" + (own_folder() / "system_trial_service.exe").wstring() +
                                 L"\" " + wide(name) + L" " + wide(argument);
    service_ = CreateServiceW(manager_, wide(name).c_str(), wide("The service " + name).c_str(),
                              SERVICE_ALL_ACCESS, SERVICE_WIN32_OWN_PROCESS, start_type,
                              SERVICE_ERROR_NORMAL, command.c_str(), nullptr, nullptr, nullptr,
                              nullptr, nullptr);
    if (service_ == nullptr) {
      CloseServiceHandle(manager_);
      throw std::runtime_error("no service is created: " + std::to_string(GetLastError()));
    }
  }
  TrialService(const TrialService&) = delete;
  TrialService& operator=(const TrialService&) = delete;
  ~TrialService() {
    SERVICE_STATUS status{};
    ControlService(service_, SERVICE_CONTROL_STOP, &status);
    DeleteService(service_);
    CloseServiceHandle(service_);
    CloseServiceHandle(manager_);
  }

 private:
  SC_HANDLE manager_ = nullptr;
  SC_HANDLE service_ = nullptr;
};

}  // namespace longshore::system
