// A file descriptor of Linux that is closed with its owner.
//
// Owner: exactly one FileDescriptor for each number. Threads: like any value, one at a time.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <string_view>
#include <system_error>
#include <utility>

namespace longshore {

// What the system call just before has failed with, for Error::because(): errno, and nothing where
// it has `succeeded`. No error is to be had of a call that did not fail.
inline std::error_code error_unless(bool succeeded) {
  return {succeeded ? 0 : errno, std::generic_category()};
}

// Writes all of the text, at the file's position. A write that takes a part of it sets no errno:
// the next one says what keeps the rest out.
inline std::error_code write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t size = ::write(descriptor, text.data(), text.size());
    if (size < 0 && errno == EINTR) continue;
    if (const std::error_code error = error_unless(size >= 0)) return error;
    if (size == 0) return std::make_error_code(std::errc::io_error);
    text.remove_prefix(static_cast<size_t>(size));
  }
  return {};
}

class FileDescriptor {
 public:
  FileDescriptor() = default;
  // `number` is what the call that opens it has just returned.
  explicit FileDescriptor(int number) : number_(number) {
    if (number < 0) error_ = errno;
  }
  FileDescriptor(FileDescriptor&& other) noexcept
      : number_(other.release()), error_(other.error_) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    if (this != &other) {
      close();
      number_ = other.release();
      error_ = other.error_;
    }
    return *this;
  }
  ~FileDescriptor() { close(); }

  // False when nothing is open: default made, moved from, or made of a failed call's -1.
  explicit operator bool() const { return number_ >= 0; }
  // Why nothing is open: what the call that should have opened it has failed with, whatever was
  // called since. EBADF where there was none, and nothing where it is open.
  std::error_code error() const { return {number_ >= 0 ? 0 : error_, std::generic_category()}; }
  int get() const { return number_; }
  // Hands the number to the caller, who closes it; -1 when nothing is open.
  [[nodiscard]] int release() { return std::exchange(number_, -1); }

 private:
  // Linux frees the number even when close reports an error. errno stays as it was: error_unless()
  // is of the call before, though a descriptor is closed in between.
  void close() {
    const int error = errno;
    if (number_ >= 0) ::close(number_);
    number_ = -1;
    errno = error;
  }

  int number_ = -1;
  int error_ = EBADF;
};

}  // namespace longshore
