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

// GetLastError() as the function that just failed has left it, for Error::because().
inline std::error_code last_error() {
  return {static_cast<int>(GetLastError()), std::system_category()};
}

// Writes all of the text, at the file's position. A write that takes a part of it sets no last
// error: the next one says what keeps the rest out.
inline std::error_code write_all(HANDLE file, std::string_view text) {
  while (!text.empty()) {
    DWORD size = 0;
    if (!WriteFile(file, text.data(), static_cast<DWORD>(text.size()), &size, nullptr)) {
      return last_error();
    }
    if (size == 0) return {ERROR_DISK_FULL, std::system_category()};
    text.remove_prefix(size);
  }
  return {};
}

class Handle {
 public:
  Handle() = default;
  // What failed is none, whichever of the two ways the system says so.
  explicit Handle(HANDLE handle) : handle_(handle == INVALID_HANDLE_VALUE ? nullptr : handle) {}
  Handle(Handle&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  // The last error stays as it was: whoever leaves a scope because of a failure still asks for that
  // one.
  ~Handle() {
    if (!handle_) return;
    const DWORD error = GetLastError();
    CloseHandle(handle_);
    SetLastError(error);
  }

  explicit operator bool() const { return handle_ != nullptr; }
  HANDLE get() const { return handle_; }
  intptr_t number() const { return reinterpret_cast<intptr_t>(handle_); }

 private:
  HANDLE handle_ = nullptr;
};

}  // namespace longshore
