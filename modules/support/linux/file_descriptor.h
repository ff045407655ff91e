// An open file descriptor and its closing.
//
// Owner: exactly one FileDescriptor per number. Threads: like any value, one at a time.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace longshore::support {

// The system's answer to the call that just failed.
inline std::error_code last_error() { return {errno, std::generic_category()}; }

class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int number) : number_(number) {}
  FileDescriptor(FileDescriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    if (this != &other) {
      close();
      number_ = std::exchange(other.number_, -1);
    }
    return *this;
  }
  ~FileDescriptor() { close(); }

  // False when nothing is open: default made, moved from, or made of a failed call's -1.
  explicit operator bool() const { return number_ >= 0; }
  int get() const { return number_; }

 private:
  // Linux frees the number even when close reports an error.
  void close() {
    if (number_ >= 0) ::close(number_);
    number_ = -1;
  }

  int number_ = -1;
};

}  // namespace longshore::support
