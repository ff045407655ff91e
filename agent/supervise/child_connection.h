// One child process and the way to it, from its start to its end.
//
// Threads: `serve` one; the rest any. Owner: shared by the instance and by the calls of the module
// that are on their way.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "longshore/result.hpp"
#include "router/timers.h"
#include "supervise/frame_channel.h"
#include "supervise/group_limits.h"
#include "supervise/process_end.h"

namespace longshore::supervise {

class Cgroups;

class ChildConnection {
 public:
  struct Options {
    std::string program;
    std::string name;
    std::string image;  // a path that leads to the module's sealed image
    FrameChannel::Limits frames;
    GroupLimits limits;
    std::shared_ptr<Cgroups> groups;  // of Linux; see ChildOptions
  };
  static Result<std::shared_ptr<ChildConnection>> open(const Options& options);
  virtual ~ChildConnection() = default;

  FrameChannel& frames() { return frames_; }
  virtual int process_id() const = 0;

  // Kills the process unless it has ended by then; the last time that was set counts, and the end
  // of time means never. `end` is then what `serve` tells: "was killed because it did not start in
  // time".
  void kill_at(router::Clock::time_point time, std::string end);
  void kill_now(std::string end);

  // Hands over frames, and what the process prints line by line, until it has ended. `on_frame`
  // answers false when a frame makes no sense. A process that does not end though it is killed,
  // since it hangs in the kernel, is not waited for.
  ProcessEnd serve(const std::function<bool(const Frame&)>& on_frame,
                   const std::function<void(std::string_view)>& on_line);

 protected:
  // What a killed process gets to be gone.
  static constexpr std::chrono::seconds kKillTime{2};

  // To be watched while frames are read: the end of the process, the timer, and what it prints.
  struct Handles {
    intptr_t process;
    intptr_t timer;
    intptr_t printed;
  };

  ChildConnection(std::unique_ptr<PipeTransport> ends, FrameChannel::Limits limits);

 private:
  virtual Handles handles() const = 0;
  virtual void set_timer(router::Clock::time_point time) = 0;
  // Once for each time that it runs out; false also when it was set anew since.
  virtual bool timer_ran_out() = 0;
  virtual void kill() = 0;
  // Whether it has ended or does so within the time.
  virtual bool has_ended(std::chrono::milliseconds time) const = 0;
  // Waits until it is gone, and frees what it had but the pipes.
  virtual ProcessEnd wait() = 0;
  // Once what there is. False: nobody prints any more.
  virtual bool read_printed(const std::function<void(std::string_view)>& on_line) = 0;
  // What is left after its end.
  virtual void read_last_printed(const std::function<void(std::string_view)>& on_line) = 0;

  bool kill_when_due();

  FrameChannel frames_;
  std::mutex mutex_;
  std::string end_when_due_;
  std::string end_;  // empty: it was not killed by us
};

}  // namespace longshore::supervise
