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

// errno as the system call that just failed has left it, for Error::because().
inline std::error_code last_error() { return {errno, std::generic_category()}; }

// Writes all of the text, at the file's position. A write that takes a part of it sets no errno:
// the next one says what keeps the rest out.
inline std::error_code write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t size = ::write(descriptor, text.data(), text.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return last_error();
    if (size == 0) return std::make_error_code(std::errc::io_error);
    text.remove_prefix(static_cast<size_t>(size));
  }
  return {};
}

class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int number) : number_(number) {}
  FileDescriptor(FileDescriptor&& other) noexcept : number_(other.release()) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    if (this != &other) {
      close();
      number_ = other.release();
    }
    return *this;
  }
  ~FileDescriptor() { close(); }

  // False when nothing is open: default made, moved from, or made of a failed call's -1.
  explicit operator bool() const { return number_ >= 0; }
  int get() const { return number_; }
  // Hands the number to the caller, who closes it; -1 when nothing is open.
  [[nodiscard]] int release() { return std::exchange(number_, -1); }

 private:
  // Linux frees the number even when close reports an error. errno stays as it was: whoever leaves
  // a scope because of a failure still asks for that one.
  void close() {
    const int error = errno;
    if (number_ >= 0) ::close(number_);
    number_ = -1;
    errno = error;
  }

  int number_ = -1;
};

}  // namespace longshore
