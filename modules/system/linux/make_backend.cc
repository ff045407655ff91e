#include "system/make_backend.h"

#include "system/linux/system_backend_linux.h"

namespace longshore::system {

Result<std::unique_ptr<SystemBackend>> make_backend(const Settings& settings) {
  return std::unique_ptr<SystemBackend>(
      std::make_unique<SystemBackendLinux>(settings.get_string("bus_address"), "/sys"));
}

}  // namespace longshore::system
