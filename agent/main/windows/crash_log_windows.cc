#include <windows.h>
// windows.h comes before it.
#include <fcntl.h>
#include <io.h>

#include "longshore/windows/wide_text.hpp"
#include "main/crash_log.h"

namespace longshore {

int open_crash_log(const config::LogSettings& settings) {
  if (settings.file.empty()) return 2;  // standard error
  const HANDLE file = CreateFileW(wide(settings.file).c_str(), FILE_APPEND_DATA | SYNCHRONIZE,
                                  FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, nullptr,
                                  OPEN_EXISTING, FILE_FLAG_OPEN_REPARSE_POINT, nullptr);
  if (file == INVALID_HANDLE_VALUE) return -1;
  return _open_osfhandle(reinterpret_cast<intptr_t>(file), _O_APPEND);
}

}  // namespace longshore
