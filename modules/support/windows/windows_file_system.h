// FileSystemCalls by Windows' own calls.
//
// Names are opened by NtCreateFile relative to the handle of their directory: no function of the
// programs' interface can do that. Links are made in the same way, and not by CreateSymbolicLinkW,
// which goes along a whole path.
//
// Threads: any number at once; no state.
#pragma once

#include "support/windows/file_system_calls.h"

namespace longshore::support {

class WindowsFileSystem final : public FileSystemCalls {
 public:
  Opened open_path(const std::wstring& path, LastName last, FileAccess access,
                   std::error_code& error) override;
  std::vector<std::wstring> paths_of_volume(const std::wstring& volume,
                                            std::error_code& error) override;
  bool exists(const std::wstring& path, std::error_code& error) override;
};

}  // namespace longshore::support
