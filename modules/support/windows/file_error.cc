#include "support/windows/file_error.h"

#include <algorithm>
#include <array>

namespace longshore::support {
namespace {

template <size_t size>
bool is_one_of(const std::error_code& error, const std::array<DWORD, size>& codes) {
  return error.category() == std::system_category() &&
         std::ranges::find(codes, static_cast<DWORD>(error.value())) != codes.end();
}

bool is_in_use(const std::error_code& error) {
  return is_one_of(
      error, std::array<DWORD, 5>{ERROR_SHARING_VIOLATION, ERROR_LOCK_VIOLATION,
                                  ERROR_USER_MAPPED_FILE, ERROR_BUSY, ERROR_CURRENT_DIRECTORY});
}

bool is_no_directory(const std::error_code& error) {
  return error == std::make_error_code(std::errc::not_a_directory) ||
         is_one_of(error, std::array<DWORD, 1>{ERROR_DIRECTORY});
}

// kUnknown: as status_code_of() says.
StatusCode code_of(const std::error_code& error) {
  if (is_no_directory(error)) return StatusCode::kFailedPrecondition;
  if (is_not_found(error)) return StatusCode::kNotFound;
  if (is_taken(error)) return StatusCode::kAlreadyExists;
  if (is_not_empty(error) || is_in_use(error)) return StatusCode::kFailedPrecondition;
  if (is_one_of(error, std::array<DWORD, 4>{ERROR_ACCESS_DENIED, ERROR_PRIVILEGE_NOT_HELD,
                                            ERROR_WRITE_PROTECT, ERROR_NETWORK_ACCESS_DENIED})) {
    return StatusCode::kPermissionDenied;
  }
  if (is_one_of(error,
                std::array<DWORD, 2>{ERROR_INVALID_REPARSE_DATA, ERROR_REPARSE_TAG_INVALID})) {
    return StatusCode::kFailedPrecondition;
  }
  if (is_one_of(error, std::array<DWORD, 2>{ERROR_NOT_SUPPORTED, ERROR_INVALID_FUNCTION})) {
    return StatusCode::kUnimplemented;
  }
  if (is_one_of(error, std::array<DWORD, 3>{ERROR_DISK_FULL, ERROR_NOT_ENOUGH_MEMORY,
                                            ERROR_NO_SYSTEM_RESOURCES})) {
    return StatusCode::kResourceExhausted;
  }
  return StatusCode::kUnknown;
}

}  // namespace

bool is_not_found(const std::error_code& error) {
  return is_one_of(
      error, std::array<DWORD, 5>{ERROR_FILE_NOT_FOUND, ERROR_PATH_NOT_FOUND, ERROR_INVALID_NAME,
                                  ERROR_BAD_PATHNAME, ERROR_DELETE_PENDING});
}

bool is_missing(const std::error_code& error) {
  return is_not_found(error) || is_no_directory(error);
}

bool is_taken(const std::error_code& error) {
  return is_one_of(error, std::array<DWORD, 2>{ERROR_FILE_EXISTS, ERROR_ALREADY_EXISTS});
}

bool is_not_empty(const std::error_code& error) {
  return is_one_of(error, std::array<DWORD, 1>{ERROR_DIR_NOT_EMPTY});
}

Error file_failure(std::string_view object, std::string_view operation,
                   const std::error_code& error) {
  Error failure = Error(code_of(error), std::string(operation), std::string(object)).because(error);
  if (!is_in_use(error)) return failure;
  return std::move(failure).advise("a program has it open; try again when that is closed");
}

}  // namespace longshore::support
