// The log lines of calls that are over, of those that are stuck, and of those that were not
// permitted.
//
// Each client gets a few lines a second, see line_limit.h; what it had more is told by number, ten
// seconds after the first of them and at the end. Nothing wakes up while all lines are written.
// Threads: any. Owner: who ends the calls. The log and the timers outlive it.
#pragma once

#include <memory>
#include <string_view>

#include "observe/log.h"
#include "router/call.h"
#include "router/timers.h"

namespace longshore::router {

class CallLog {
 public:
  // `module`: of the lines that tell how many were left out; may be empty.
  CallLog(observe::Log& log, Timers& timers, std::string_view module);
  ~CallLog();
  CallLog(const CallLog&) = delete;
  CallLog& operator=(const CallLog&) = delete;

  // Says what became of a call: at debug level when it went well, of which every line is written;
  // at info when the caller has to do something about it, as a warning when the fault is on our
  // side.
  void write_outcome(std::string_view module, const Call& call, StatusCode outcome);

  // Says that a call goes on long after its deadline: anybody may begin thousands that do.
  void write_stuck(std::string_view module, const Call& call);

  // Whether to write a line of a call of `method` that `client` caused; else it is counted.
  bool admits(observe::Level level, std::string_view client, std::string_view method);
  // A line that was admitted. Its text is cut: a module may have made it from what it was sent.
  void write(observe::Level level, std::string_view text, const observe::Fields& fields);

 private:
  class State;
  const std::shared_ptr<State> state_;  // the timers may be in it
};

}  // namespace longshore::router
