#include "supervise/child_connection.h"

#include <utility>

namespace longshore::supervise {
namespace {

// What a process whose pipes are closed gets to end by itself: on a busy node its end takes a
// while, and its exit status tells more than that it was killed.
constexpr std::chrono::milliseconds kTimeToBeReaped{1000};

}  // namespace

ChildConnection::ChildConnection(std::unique_ptr<PipeTransport> ends, FrameChannel::Limits limits)
    : frames_(std::move(ends), limits) {}

void ChildConnection::kill_at(router::Clock::time_point time, std::string end) {
  const std::lock_guard lock(mutex_);
  end_when_due_ = std::move(end);
  set_timer(time);
}

// Not by the timer: the process may end by itself before that, and would tell less.
void ChildConnection::kill_now(std::string end) {
  const std::lock_guard lock(mutex_);
  if (end_.empty()) end_ = std::move(end);
  kill();
}

bool ChildConnection::kill_when_due() {
  const std::lock_guard lock(mutex_);
  if (!timer_ran_out()) return true;
  if (end_.empty()) end_ = end_when_due_;
  kill();
  return true;
}

ProcessEnd ChildConnection::serve(const std::function<bool(const Frame&)>& on_frame,
                                  const std::function<void(std::string_view)>& on_line) {
  std::string fault;
  const auto checked = [&](const Frame& frame) {
    const bool good = on_frame(frame);
    if (!good) fault = "it sent a frame that makes no sense";
    return good;
  };
  const auto ended = [this] {
    frames_.close();  // a process that it has left behind may hold the other ends
    return false;
  };
  const Handles watched = handles();
  const Result<void> served =
      frames_.serve(checked, {{watched.process, ended},
                              {watched.timer, [this] { return kill_when_due(); }},
                              {watched.printed, [&] { return read_printed(on_line); }}});
  frames_.close();
  if (!served) fault = served.error().message();
  // Nobody can talk to it any more.
  if (fault.empty() && !has_ended(kTimeToBeReaped)) fault = "it closed its end of the pipes";
  if (!fault.empty()) kill();
  ProcessEnd end = wait();
  read_last_printed(on_line);
  const std::lock_guard lock(mutex_);
  if (!end_.empty()) return ProcessEnd::killed(end_);
  return fault.empty() ? end : ProcessEnd::killed("was killed because " + fault);
}

}  // namespace longshore::supervise
