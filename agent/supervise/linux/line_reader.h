// Cuts what a process prints into lines, for the log.
//
// Threads: one at a time.
#pragma once

#include <poll.h>

#include <functional>
#include <string>
#include <string_view>

#include "supervise/linux/descriptor.h"

namespace longshore::supervise {

class LineReader {
 public:
  // `pipe` must not block.
  explicit LineReader(Descriptor pipe) : pipe_(std::move(pipe)) {}

  int descriptor() const { return pipe_.get(); }

  // Reads what there is, once. False: nobody writes any more.
  bool read(const std::function<void(std::string_view)>& on_line) {
    char buffer[4096];
    const ssize_t size = ::read(pipe_.get(), buffer, sizeof(buffer));
    if (size < 0) return errno == EAGAIN || errno == EINTR;
    for (const char c : std::string_view(buffer, static_cast<size_t>(size))) {
      if (c == '\n' || line_.size() == kMaxLineBytes) finish(on_line);
      if (c != '\n') line_ += c;
    }
    return size > 0;
  }

  // What is left when whoever wrote has ended, the last words of a crash for one. What it has left
  // behind may still write: no more than a pipe holds.
  void read_all(const std::function<void(std::string_view)>& on_line) {
    constexpr int kMostReads = 16;
    for (int reads = 0; reads < kMostReads && has_more(); ++reads) read(on_line);
    finish(on_line);
  }

 private:
  bool has_more() const {
    pollfd wanted{pipe_.get(), POLLIN, 0};
    return poll(&wanted, 1, 0) == 1 && (wanted.revents & POLLIN) != 0;
  }

  void finish(const std::function<void(std::string_view)>& on_line) {
    if (!line_.empty()) on_line(line_);
    line_.clear();
  }

  static constexpr size_t kMaxLineBytes = 4096;

  const Descriptor pipe_;
  std::string line_;
};

}  // namespace longshore::supervise
