// A file descriptor that is closed with its owner.
//
// Owner: exactly one Descriptor per number. Threads: like any value, one at a time.
#pragma once

#include <unistd.h>

#include <utility>

#include "observe/last_error.h"

namespace longshore::supervise {

using observe::last_error;

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }

  explicit operator bool() const { return number_ >= 0; }
  int get() const { return number_; }

 private:
  int number_ = -1;
};

}  // namespace longshore::supervise
