#include "support/windows/system_error.h"

#include <windows.h>

namespace longshore::support {

StatusCode status_code_of_windows(const std::error_code& error) {
  if (error.category() != std::system_category()) return status_code_of(error);
  switch (static_cast<DWORD>(error.value())) {
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
    case ERROR_INVALID_DRIVE:
    case ERROR_BAD_UNIT:
    case ERROR_DEV_NOT_EXIST:
    case ERROR_DEVICE_REMOVED:
    case ERROR_DEVICE_NOT_CONNECTED:
      return StatusCode::kNotFound;
    case ERROR_ACCESS_DENIED:
    case ERROR_PRIVILEGE_NOT_HELD:
      return StatusCode::kPermissionDenied;
    case ERROR_WRITE_PROTECT:
    case ERROR_SHARING_VIOLATION:
    case ERROR_LOCK_VIOLATION:
    case ERROR_BUSY:
    case ERROR_DRIVE_LOCKED:
    case ERROR_DIR_NOT_EMPTY:
    case ERROR_DIRECTORY:
    case ERROR_NOT_A_REPARSE_POINT:
    case ERROR_UNRECOGNIZED_VOLUME:
    case ERROR_CANT_ACCESS_FILE:
      return StatusCode::kFailedPrecondition;
    case ERROR_NOT_READY:
    case ERROR_NO_MEDIA_IN_DRIVE:
    case ERROR_SEM_TIMEOUT:
    case ERROR_DEVICE_IN_USE:
    case ERROR_NO_SYSTEM_RESOURCES:
      return StatusCode::kUnavailable;
    case ERROR_INVALID_FUNCTION:
    case ERROR_NOT_SUPPORTED:
    case ERROR_CALL_NOT_IMPLEMENTED:
      return StatusCode::kUnimplemented;
    case ERROR_DISK_FULL:
    case ERROR_HANDLE_DISK_FULL:
      return StatusCode::kOutOfRange;
    case ERROR_INVALID_PARAMETER:
      return StatusCode::kInternal;  // ours: callers' were looked at before
    default:
      return status_code_of(error);
  }
}

}  // namespace longshore::support
