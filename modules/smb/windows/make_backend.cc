#include "smb/make_backend.h"

#include <chrono>

#include "smb/windows/smb_backend_windows.h"
#include "smb/windows/wmi_global_mappings.h"
#include "support/windows/abandonable_wmi.h"
#include "support/windows/windows_file_system.h"

namespace longshore::smb {

Result<std::unique_ptr<SmbBackend>> make_backend(const Settings& settings,
                                                 support::AllowedRoots roots) {
  return std::unique_ptr<SmbBackend>(std::make_unique<SmbBackendWindows>(
      SmbBackendWindows::Options{
          .roots = std::move(roots),
          .require_privacy = settings.get_bool("require_privacy"),
          .probe_timeout = std::chrono::duration_cast<std::chrono::milliseconds>(
              settings.get_duration("probe_timeout")),
          .state_directory = settings.state_directory(),
      },
      std::make_shared<WmiGlobalMappings>(
          std::make_shared<support::AbandonableWmi>(support::native_wmi_provider())),
      std::make_shared<support::WindowsFileSystem>()));
}

}  // namespace longshore::smb
