// A process of longshore-modulehost: its start, its end, and why it ended.
//
// It inherits its end of the socket as descriptor 3, the module's sealed image as 4, the writing
// end of a pipe as standard output and error, and nothing else: no other descriptor, no
// environment, no blocked or ignored signal. It has a session of its own, which is killed as a
// whole when it ends, so that what the module has forked does not stay.
//
// Threads: `kill` any; the rest one at a time.
#pragma once

#include <string>

#include "longshore/result.hpp"
#include "supervise/linux/descriptor.h"

namespace longshore::supervise {

inline constexpr int kSocketDescriptor = 3;
inline constexpr int kImageDescriptor = 4;

struct ChildCommand {
  std::string program;  // the absolute path of longshore-modulehost
  std::string name;     // of the instance, for ps
  int socket = -1;      // what it inherits, under the numbers they have here
  int image = -1;
  int output = -1;
};

class ChildProcess {
 public:
  static Result<ChildProcess> start(const ChildCommand& command);

  int id() const { return id_; }
  // Readable when the process has ended.
  int descriptor() const { return descriptor_.get(); }
  void kill() const;
  // Gives it a moment to end, then kills it: for one that cannot be reached any more.
  void kill_unless_ended() const;
  // Waits for its end and takes it off the system's list: "was killed by SIGSEGV",
  // "exited with code 3". Once.
  std::string wait();

 private:
  explicit ChildProcess(int id, Descriptor descriptor)
      : id_(id), descriptor_(std::move(descriptor)) {}

  int id_;
  Descriptor descriptor_;
};

}  // namespace longshore::supervise
