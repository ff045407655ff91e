// What a process prints, read from a pipe line by line.
//
// Threads: one at a time.
#pragma once

#include <poll.h>

#include <utility>

#include "longshore/linux/file_descriptor.hpp"
#include "supervise/line_cutter.h"

namespace longshore::supervise {

class LineReader {
 public:
  using OnLine = LineCutter::OnLine;

  // `pipe` must not block.
  explicit LineReader(FileDescriptor pipe) : pipe_(std::move(pipe)) {}

  int descriptor() const { return pipe_.get(); }

  // Reads what there is, once. False: nobody writes any more.
  bool read(const OnLine& on_line) {
    char buffer[4096];
    const ssize_t size = ::read(pipe_.get(), buffer, sizeof(buffer));
    if (size < 0) return errno == EAGAIN || errno == EINTR;
    cutter_.add({buffer, static_cast<size_t>(size)}, on_line);
    return size > 0;
  }

  // What is left when whoever wrote has ended, the last words of a crash for one. What it has left
  // behind may still write: no more than a pipe holds.
  void read_all(const OnLine& on_line) {
    constexpr int kMostReads = 16;
    for (int reads = 0; reads < kMostReads && has_more(); ++reads) read(on_line);
    cutter_.finish(on_line);
  }

 private:
  bool has_more() const {
    pollfd wanted{pipe_.get(), POLLIN, 0};
    return poll(&wanted, 1, 0) == 1 && (wanted.revents & POLLIN) != 0;
  }

  const FileDescriptor pipe_;
  LineCutter cutter_;
};

}  // namespace longshore::supervise
