#include "supervise/linux/child_connection.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

namespace longshore::supervise {

using router::Clock;

Result<std::shared_ptr<ChildConnection>> ChildConnection::open(const Options& options) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    return Error(StatusCode::kUnknown, "make a pair of sockets").because(last_error());
  }
  Descriptor own(ends[0]);
  const Descriptor its(ends[1]);
  if (pipe2(ends, O_CLOEXEC) != 0) {
    return Error(StatusCode::kUnknown, "make a pipe").because(last_error());
  }
  Descriptor output(ends[0]);
  const Descriptor printed(ends[1]);
  fcntl(output.get(), F_SETFL, O_NONBLOCK);
  const Descriptor image(::open(options.image.c_str(), O_RDONLY | O_CLOEXEC));
  if (!image) {
    return Error(StatusCode::kUnknown, "open the image of the module").because(last_error());
  }
  Descriptor timer(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
  if (!timer) return Error(StatusCode::kUnknown, "make a timer").because(last_error());
  auto process =
      ChildProcess::start({options.program, options.name, its.get(), image.get(), printed.get()});
  if (!process) return std::move(process).error();
  return std::shared_ptr<ChildConnection>(new ChildConnection(std::move(own), std::move(output),
                                                              std::move(timer), std::move(*process),
                                                              options.max_frame_bytes));
}

ChildConnection::ChildConnection(Descriptor socket, Descriptor output, Descriptor timer,
                                 ChildProcess process, size_t max_frame_bytes)
    : frames_(std::move(socket), max_frame_bytes),
      output_(std::move(output)),
      timer_(std::move(timer)),
      process_(std::move(process)) {}

void ChildConnection::kill_at(Clock::time_point time, std::string end) {
  const auto left = time <= Clock::now() ? std::chrono::nanoseconds(1) : time - Clock::now();
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(left);
  itimerspec when{};
  when.it_value.tv_sec = std::min<int64_t>(seconds.count(), 365 * 24 * 3600);
  when.it_value.tv_nsec = (left - seconds).count();
  const std::lock_guard lock(mutex_);
  end_when_due_ = std::move(end);
  timerfd_settime(timer_.get(), 0, &when, nullptr);
}

// Not by the timer: the process may end by itself before that, and would tell less.
void ChildConnection::kill_now(std::string end) {
  const std::lock_guard lock(mutex_);
  if (end_.empty()) end_ = std::move(end);
  process_.kill();
}

bool ChildConnection::kill_when_due() {
  uint64_t times = 0;
  const std::lock_guard lock(mutex_);
  if (read(timer_.get(), &times, sizeof(times)) != sizeof(times)) return true;  // set anew
  if (end_.empty()) end_ = end_when_due_;
  process_.kill();
  return true;
}

std::string ChildConnection::serve(const std::function<bool(const Frame&)>& on_frame,
                                   const std::function<void(std::string_view)>& on_line) {
  std::string fault;
  const auto checked = [&](const Frame& frame) {
    const bool good = on_frame(frame);
    if (!good) fault = "it sent a frame that makes no sense";
    return good;
  };
  const auto ended = [this] {
    frames_.close();  // a process that it has left behind may hold the other end
    return false;
  };
  const Result<void> served =
      frames_.serve(checked, {{process_.descriptor(), ended},
                              {timer_.get(), [this] { return kill_when_due(); }},
                              {output_.descriptor(), [&] { return output_.read(on_line); }}});
  frames_.close();
  if (!served) fault = served.error().message();
  // It may only have closed its end; nobody can talk to it any more.
  if (!fault.empty()) process_.kill();
  process_.kill_unless_ended();
  const std::string end = process_.wait();
  output_.read(on_line);
  output_.finish(on_line);
  const std::lock_guard lock(mutex_);
  if (!end_.empty()) return end_;
  return fault.empty() ? end : "was killed because " + fault;
}

}  // namespace longshore::supervise
