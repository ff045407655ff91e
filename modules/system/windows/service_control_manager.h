// What the system group asks of Windows' service control manager: its functions one by one, with
// their errors as numbers and their answers as bytes.
//
// Threads: any number at once.
#pragma once

#include <windows.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>

namespace longshore::system {

// Every function but the last two answers with a code of Windows', 0 for success.
class ServiceControlManager {
 public:
  virtual ~ServiceControlManager() = default;

  virtual DWORD open_manager(SC_HANDLE& manager) = 0;
  virtual DWORD open_service(SC_HANDLE manager, const std::wstring& name, DWORD access,
                             SC_HANDLE& service) = 0;

  virtual DWORD query_status(SC_HANDLE service, SERVICE_STATUS_PROCESS& status) = 0;

  // A QUERY_SERVICE_CONFIGW. ERROR_INSUFFICIENT_BUFFER: so many bytes are needed.
  virtual DWORD query_config(SC_HANDLE service, std::span<std::byte> buffer, DWORD& needed) = 0;

  // So many ENUM_SERVICE_STATUSW, of those that are not stopped. ERROR_MORE_DATA: so many bytes
  // more are needed.
  virtual DWORD enumerate_dependants(SC_HANDLE service, std::span<std::byte> buffer, DWORD& needed,
                                     DWORD& count) = 0;

  // Both may block for half a minute while the manager waits for any service.
  virtual DWORD start(SC_HANDLE service) = 0;
  virtual DWORD control(SC_HANDLE service, DWORD control) = 0;

  virtual void close(SC_HANDLE handle) = 0;

  // Lets time pass between two looks at a service.
  virtual void pause(std::chrono::milliseconds time) = 0;
};

// Windows' own.
std::unique_ptr<ServiceControlManager> native_service_control_manager();

// A handle of the manager's that is closed with its owner. Owner: exactly one; the manager outlives
// it.
class ServiceHandle {
 public:
  ServiceHandle(ServiceControlManager& manager, SC_HANDLE handle)
      : manager_(&manager), handle_(handle) {}
  ServiceHandle(ServiceHandle&& other) noexcept
      : manager_(other.manager_), handle_(std::exchange(other.handle_, nullptr)) {}
  ServiceHandle& operator=(ServiceHandle&& other) noexcept {
    std::swap(manager_, other.manager_);
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~ServiceHandle() {
    if (handle_ != nullptr) manager_->close(handle_);
  }

  SC_HANDLE get() const { return handle_; }

 private:
  ServiceControlManager* manager_;
  SC_HANDLE handle_;
};

}  // namespace longshore::system
