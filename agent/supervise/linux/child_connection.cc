#include "supervise/linux/child_connection.h"

#include <fcntl.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <system_error>
#include <thread>
#include <utility>

namespace longshore::supervise {

using router::Clock;

namespace {

// What a killed process gets to be gone.
constexpr std::chrono::seconds kKillTime{2};
// What one whose pipes are closed gets to end by itself.
constexpr std::chrono::milliseconds kEndTime{100};

constexpr std::chrono::seconds kYear{std::chrono::hours(24 * 365)};

struct Pipe {
  Descriptor reader;
  Descriptor writer;
};

Result<Pipe> make_pipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    return Error(StatusCode::kUnknown, "make a pipe").because(last_error());
  }
  return Pipe{Descriptor(ends[0]), Descriptor(ends[1])};
}

void make_nonblocking(const Descriptor& end) { fcntl(end.get(), F_SETFL, O_NONBLOCK); }

// It has run nothing of the module yet: it waits for the first frame.
Result<ControlGroup> enclose(const ChildProcess& process, const ChildConnection::Options& options) {
  if (!options.groups || !options.groups->available() || !options.limits.any()) {
    return ControlGroup();
  }
  return options.groups->enclose(process.id(), options.name, options.limits);
}

}  // namespace

Result<std::shared_ptr<ChildConnection>> ChildConnection::open(const Options& options) {
  auto to_child = make_pipe();
  if (!to_child) return std::move(to_child).error();
  auto from_child = make_pipe();
  if (!from_child) return std::move(from_child).error();
  auto printed = make_pipe();
  if (!printed) return std::move(printed).error();
  for (const Descriptor* own : {&to_child->writer, &from_child->reader, &printed->reader}) {
    make_nonblocking(*own);
  }
  const Descriptor image(::open(options.image.c_str(), O_RDONLY | O_CLOEXEC));
  if (!image) {
    return Error(StatusCode::kUnknown, "open the image of the module").because(last_error());
  }
  Descriptor timer(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
  if (!timer) return Error(StatusCode::kUnknown, "make a timer").because(last_error());
  auto ends = FrameEnds::of(std::move(from_child->reader), std::move(to_child->writer));
  if (!ends) return std::move(ends).error();
  auto process =
      ChildProcess::start({options.program, options.name, to_child->reader.get(),
                           from_child->writer.get(), image.get(), printed->writer.get()});
  if (!process) return std::move(process).error();
  auto group = enclose(*process, options);
  if (!group) {
    process->kill();
    process->wait();
    return std::move(group).error();
  }
  return std::shared_ptr<ChildConnection>(
      new ChildConnection(std::move(*ends), std::move(printed->reader), std::move(timer),
                          std::move(*process), std::move(*group), options.max_frame_bytes));
}

ChildConnection::ChildConnection(FrameEnds ends, Descriptor printed, Descriptor timer,
                                 ChildProcess process, ControlGroup group, size_t max_frame_bytes)
    : frames_(std::move(ends), max_frame_bytes),
      printed_(std::move(printed)),
      timer_(std::move(timer)),
      process_(std::make_shared<ChildProcess>(std::move(process))),
      group_(std::move(group)) {}

void ChildConnection::kill_at(Clock::time_point time, std::string end) {
  itimerspec when{};  // zero: never
  if (time != Clock::time_point::max()) {
    const auto left = time <= Clock::now() ? std::chrono::nanoseconds(1) : time - Clock::now();
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(left);
    when.it_value.tv_sec = std::min<int64_t>(seconds.count(), kYear.count());
    when.it_value.tv_nsec = (left - seconds).count();
  }
  const std::lock_guard lock(mutex_);
  end_when_due_ = std::move(end);
  timerfd_settime(timer_.get(), 0, &when, nullptr);
}

// Not by the timer: the process may end by itself before that, and would tell less.
void ChildConnection::kill_now(std::string end) {
  const std::lock_guard lock(mutex_);
  if (end_.empty()) end_ = std::move(end);
  process_->kill();
}

bool ChildConnection::kill_when_due() {
  uint64_t times = 0;
  const std::lock_guard lock(mutex_);
  if (read(timer_.get(), &times, sizeof(times)) != sizeof(times)) return true;  // set anew
  if (end_.empty()) end_ = end_when_due_;
  process_->kill();
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
    frames_.close();  // a process that it has left behind may hold the other ends
    return false;
  };
  const Result<void> served =
      frames_.serve(checked, {{process_->descriptor(), ended},
                              {timer_.get(), [this] { return kill_when_due(); }},
                              {printed_.descriptor(), [&] { return printed_.read(on_line); }}});
  frames_.close();
  if (!served) fault = served.error().message();
  // Nobody can talk to it any more.
  if (fault.empty() && !process_->has_ended(kEndTime)) fault = "it closed its end of the pipes";
  if (!fault.empty()) process_->kill();
  std::string end = wait();
  if (end == "was killed by SIGKILL" && group_.ran_out_of_memory()) end += " at its memory_max";
  group_ = ControlGroup();
  printed_.read_all(on_line);
  const std::lock_guard lock(mutex_);
  if (!end_.empty()) return end_;
  return fault.empty() ? end : "was killed because " + fault;
}

std::string ChildConnection::wait() {
  if (process_->has_ended(kKillTime)) return process_->wait();
  // It hangs in the kernel, with a disk that does not answer for one. Whenever it ends, it is taken
  // off the list.
  try {
    std::thread([process = process_] { process->wait(); }).detach();
  } catch (const std::system_error&) {
    // Then it stays on the list until the agent ends.
  }
  return "was killed and hangs in the kernel";
}

}  // namespace longshore::supervise
