// A Windows handle that is closed with its owner.
//
// Owner: exactly one Handle per handle. Threads: like any value, one at a time.
#pragma once

#include <windows.h>

#include <cstdint>
#include <system_error>
#include <utility>

namespace longshore {

// GetLastError() as the function that just failed has left it, for Error::because().
inline std::error_code last_error() {
  return {static_cast<int>(GetLastError()), std::system_category()};
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
  ~Handle() {
    if (handle_) CloseHandle(handle_);
  }

  explicit operator bool() const { return handle_ != nullptr; }
  HANDLE get() const { return handle_; }
  intptr_t number() const { return reinterpret_cast<intptr_t>(handle_); }

 private:
  HANDLE handle_ = nullptr;
};

}  // namespace longshore
