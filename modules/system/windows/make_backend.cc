#include "system/make_backend.h"

#include "system/windows/system_backend_windows.h"

namespace longshore::system {

Result<std::unique_ptr<SystemBackend>> make_backend(const Settings&) {
  return std::unique_ptr<SystemBackend>(std::make_unique<SystemBackendWindows>(
      native_service_control_manager(), native_firmware_table()));
}

}  // namespace longshore::system
