// One child process and the way to it, from its start to its end.
//
// Threads: `serve` one; the rest any. Owner: shared by the instance and by the calls of the module
// that are on their way.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "longshore/result.hpp"
#include "router/timers.h"
#include "supervise/linux/child_process.h"
#include "supervise/linux/control_groups.h"
#include "supervise/linux/frame_pipes.h"
#include "supervise/linux/line_reader.h"

namespace longshore::supervise {

class ChildConnection {
 public:
  struct Options {
    std::string program;
    std::string name;
    std::string image;  // a path that leads to the module's sealed image
    size_t max_frame_bytes = 0;
    GroupLimits limits;
    std::shared_ptr<ControlGroups> groups;
  };
  static Result<std::shared_ptr<ChildConnection>> open(const Options& options);

  FramePipes& frames() { return frames_; }
  int process_id() const { return process_->id(); }

  // Kills the process unless it has ended by then; the last time that was set counts, and the end
  // of time means never. `end` is then what `serve` tells: "was killed because it did not start in
  // time".
  void kill_at(router::Clock::time_point time, std::string end);
  void kill_now(std::string end);

  // Hands over frames, and what the process prints line by line, until it has ended. Why it has:
  // "was killed by SIGSEGV". `on_frame` answers false when a frame makes no sense. A process that
  // does not end though it is killed, since it hangs in the kernel, is not waited for.
  std::string serve(const std::function<bool(const Frame&)>& on_frame,
                    const std::function<void(std::string_view)>& on_line);

 private:
  ChildConnection(FrameEnds ends, Descriptor printed, Descriptor timer, ChildProcess process,
                  ControlGroup group, size_t max_frame_bytes);
  bool kill_when_due();
  std::string wait();

  FramePipes frames_;
  LineReader printed_;
  const Descriptor timer_;
  std::shared_ptr<ChildProcess> process_;
  ControlGroup group_;
  std::mutex mutex_;
  std::string end_when_due_;
  std::string end_;  // empty: it was not killed by us
};

}  // namespace longshore::supervise
