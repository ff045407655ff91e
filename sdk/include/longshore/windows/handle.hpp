// A Windows handle that is closed with its owner.
//
// Owner: exactly one Handle per handle. Threads: like any value, one at a time.
#pragma once

#include <windows.h>

#include <cstdint>
#include <string_view>
#include <system_error>
#include <utility>

namespace longshore {

// What the function just called has failed with, for Error::because(): GetLastError(), and nothing
// where it has `succeeded`. No error is to be had of a call that did not fail. One that failed
// without a word has one all the same.
inline std::error_code error_unless(bool succeeded) {
  if (succeeded) return {};
  const DWORD error = GetLastError();
  return {static_cast<int>(error != ERROR_SUCCESS ? error : ERROR_GEN_FAILURE),
          std::system_category()};
}

// Writes all of the text, at the file's position. A write that takes a part of it sets no last
// error: the next one says what keeps the rest out.
inline std::error_code write_all(HANDLE file, std::string_view text) {
  while (!text.empty()) {
    DWORD size = 0;
    const BOOL is_written =
        WriteFile(file, text.data(), static_cast<DWORD>(text.size()), &size, nullptr);
    if (const std::error_code error = error_unless(is_written != FALSE)) return error;
    if (size == 0) return {ERROR_DISK_FULL, std::system_category()};
    text.remove_prefix(size);
  }
  return {};
}

class Handle {
 public:
  Handle() = default;
  // `handle` is what the function that opens it has just returned. What failed is none, whichever
  // of the two ways the system says so.
  explicit Handle(HANDLE handle) : handle_(handle == INVALID_HANDLE_VALUE ? nullptr : handle) {
    if (!handle_) error_ = error_unless(false).value();
  }
  Handle(Handle&& other) noexcept
      : handle_(std::exchange(other.handle_, nullptr)), error_(other.error_) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(handle_, other.handle_);
    std::swap(error_, other.error_);
    return *this;
  }
  // The last error stays as it was: error_unless() is of the call before, though a handle is closed
  // in between.
  ~Handle() {
    if (!handle_) return;
    const DWORD error = GetLastError();
    CloseHandle(handle_);
    SetLastError(error);
  }

  explicit operator bool() const { return handle_ != nullptr; }
  // Why nothing is open: what the function that should have opened it has failed with, whatever was
  // called since. ERROR_INVALID_HANDLE where there was none, and nothing where it is open.
  std::error_code error() const { return {handle_ ? 0 : error_, std::system_category()}; }
  HANDLE get() const { return handle_; }
  intptr_t number() const { return reinterpret_cast<intptr_t>(handle_); }

 private:
  HANDLE handle_ = nullptr;
  int error_ = ERROR_INVALID_HANDLE;
};

}  // namespace longshore
