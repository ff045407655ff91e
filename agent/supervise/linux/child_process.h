// A process of longshore-modulehost: its start, its end, and why it ended.
//
// It inherits the pipe on which the agent speaks as descriptor 3, the one on which it answers as 4,
// the module's sealed image as 5, the writing end of a pipe as standard output and error, and
// nothing else: no other descriptor, no environment but LD_BIND_NOW, no blocked or ignored signal.
// It leads a process group of its own, which is killed when it ends, so that what the module has
// forked does not stay; what has left the group does, as an mkfs must that runs to its end, unless
// its control group ends it.
//
// Threads: `kill` any; the rest one at a time.
#pragma once

#include <chrono>
#include <string>

#include "longshore/linux/file_descriptor.hpp"
#include "longshore/result.hpp"
#include "supervise/process_end.h"

namespace longshore::supervise {

inline constexpr int kInputDescriptor = 3;
inline constexpr int kOutputDescriptor = 4;
inline constexpr int kImageDescriptor = 5;

struct ChildCommand {
  std::string program;  // the absolute path of longshore-modulehost
  std::string name;     // of the instance, for ps
  int input = -1;       // what it inherits, under the numbers they have here
  int output = -1;
  int image = -1;
  int printed = -1;  // what it prints goes there
};

class ChildProcess {
 public:
  static Result<ChildProcess> start(const ChildCommand& command);

  int id() const { return id_; }
  // Readable when the process has ended.
  int descriptor() const { return descriptor_.get(); }
  void kill() const;
  // Whether it has ended or does so within the time.
  bool has_ended(std::chrono::milliseconds time) const;
  // Waits for its end and takes it off the system's list. Once.
  ProcessEnd wait();

 private:
  explicit ChildProcess(int id, FileDescriptor descriptor)
      : id_(id), descriptor_(std::move(descriptor)) {}

  int id_;
  FileDescriptor descriptor_;
};

}  // namespace longshore::supervise
