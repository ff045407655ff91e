#include "filesystem/make_backend.h"

#include <utility>

#include "filesystem/windows/filesystem_backend_windows.h"
#include "support/windows/windows_file_system.h"

namespace longshore::filesystem {

Result<std::unique_ptr<FilesystemBackend>> make_backend(const Settings&,
                                                        support::AllowedRoots roots) {
  return std::unique_ptr<FilesystemBackend>(std::make_unique<FilesystemBackendWindows>(
      std::make_unique<support::WindowsFileSystem>(), std::move(roots)));
}

}  // namespace longshore::filesystem
