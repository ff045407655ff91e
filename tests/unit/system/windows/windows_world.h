// The suite's world on Windows: a stand-in for the service control manager.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "system/windows/system_backend_windows.h"
#include "tests/unit/system/service_setup.h"
#include "tests/unit/system/windows/service_manager_stand_in.h"

namespace longshore::system {

// The whole name of a service, another way to write it, and what is no name.
inline std::string whole(const std::string& name) { return name; }
inline std::string other_spelling(std::string name) {
  for (char& c : name) c = static_cast<char>(c - 'a' + 'A');
  return name;
}
inline std::vector<std::string> bad_names() {
  return {"", "a/b", "..\\a", "a\nb", "\xff", std::string(257, 'n'), std::string(5'000'000, 'n')};
}

class WindowsWorld {
 public:
  WindowsWorld() = default;
  WindowsWorld(const WindowsWorld&) = delete;
  WindowsWorld& operator=(const WindowsWorld&) = delete;

  void put(const std::string& name, const ServiceSetup& setup) {
    manager_->put(
        name, {.display_name = "The service " + name,
               .start_type = setup.start_type == StartType::kAutomatic ? DWORD{SERVICE_AUTO_START}
                             : setup.start_type == StartType::kManual  ? DWORD{SERVICE_DEMAND_START}
                                                                       : DWORD{SERVICE_DISABLED},
               .state = setup.status == ServiceStatus::kRunning ? DWORD{SERVICE_RUNNING}
                                                                : DWORD{SERVICE_STOPPED},
               .dependants = setup.dependants,
               .looks = setup.hangs ? -1 : 2,
               .exit_code = setup.fails ? DWORD{ERROR_PROCESS_ABORTED} : DWORD{ERROR_SUCCESS}});
  }
  bool runs(const std::string& name) const { return manager_->state(name) == SERVICE_RUNNING; }
  std::vector<std::string> done() const { return manager_->done(); }
  SystemBackend& backend() { return backend_; }

 private:
  std::shared_ptr<ServiceManagerStandIn> manager_ = std::make_shared<ServiceManagerStandIn>();
  SystemBackendWindows backend_{manager_, native_firmware_table()};
};

}  // namespace longshore::system
