// A process of longshore-modulehost: its start, its end, and why it ended.
//
// It inherits the pipe on which the agent speaks, the one on which it answers, NUL as standard
// input and a pipe as standard output and error, and nothing else; of the environment SystemRoot,
// without which Windows' own libraries do not work. It has no window, and is in its job object
// before it runs. Its command line says:
//
//   longshore-modulehost <instance> <handle of its input> <of its output> <the module's file>
//
// Threads: `kill` and `has_ended` any; the rest one at a time.
#pragma once

#include <chrono>
#include <string>

#include "longshore/result.hpp"
#include "longshore/windows/handle.hpp"
#include "supervise/process_end.h"
#include "supervise/windows/job_object.h"

namespace longshore::supervise {

struct ChildCommand {
  std::string program;  // the absolute path of longshore-modulehost
  std::string name;     // of the instance, for people
  std::string image;    // the module's file
  // Inheritable.
  HANDLE input = nullptr;
  HANDLE output = nullptr;
  HANDLE printed = nullptr;  // what it prints goes there
};

class ChildProcess {
 public:
  static Result<ChildProcess> start(const ChildCommand& command, JobObject job);

  int id() const { return static_cast<int>(id_); }
  // Signalled when the process has ended.
  const Handle& handle() const { return process_; }
  // With all that it has started.
  void kill() const;
  // Whether it has ended or does so within the time.
  bool has_ended(std::chrono::milliseconds time) const;
  // Ends what it has left behind. After its end.
  ProcessEnd end() const;

 private:
  ChildProcess(DWORD id, Handle process, JobObject job)
      : id_(id), process_(std::move(process)), job_(std::move(job)) {}

  DWORD id_;
  Handle process_;
  JobObject job_;
};

}  // namespace longshore::supervise
