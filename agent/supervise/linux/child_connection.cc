// The process of ChildConnection on Linux, in its control group.
#include "supervise/child_connection.h"

#include <fcntl.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <system_error>
#include <thread>
#include <utility>

#include "supervise/linux/cgroups.h"
#include "supervise/linux/child_process.h"
#include "supervise/linux/line_reader.h"
#include "supervise/linux/pipe_transport_linux.h"

namespace longshore::supervise {

using router::Clock;

namespace {

constexpr std::chrono::seconds kYear{std::chrono::hours(24 * 365)};

struct Pipe {
  FileDescriptor reader;
  FileDescriptor writer;
};

Result<Pipe> make_pipe() {
  int ends[2];
  if (const std::error_code error = error_unless(pipe2(ends, O_CLOEXEC) == 0)) {
    return Error(StatusCode::kUnknown, "make a pipe").because(error);
  }
  return Pipe{FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

void make_nonblocking(const FileDescriptor& end) { fcntl(end.get(), F_SETFL, O_NONBLOCK); }

// It has run nothing of the module yet: it waits for the first frame.
Result<Cgroup> enclose(const ChildProcess& process, const ChildConnection::Options& options) {
  if (!options.groups || !options.groups->available() || !options.limits.any()) {
    return Cgroup();
  }
  return options.groups->enclose(process.id(), options.name, options.limits);
}

// Whether it was the one that was killed for it is not known: an administrator may have killed it,
// long after an mkfs of its.
std::string memory_remark(const Cgroup& group) {
  const int64_t killed = group.killed_for_memory();
  if (killed <= 0) return {};
  return " (at memory_max the kernel has killed " + std::to_string(killed) + " of its processes)";
}

class SpawnedChild final : public ChildConnection {
 public:
  using OnLine = LineReader::OnLine;

  SpawnedChild(std::unique_ptr<PipeTransport> ends, FrameChannel::Limits limits,
               FileDescriptor printed, FileDescriptor timer, ChildProcess process, Cgroup group)
      : ChildConnection(std::move(ends), limits),
        printed_(std::move(printed)),
        timer_(std::move(timer)),
        process_(std::make_shared<ChildProcess>(std::move(process))),
        group_(std::move(group)) {}

  int process_id() const override { return process_->id(); }

 private:
  Handles handles() const override {
    return {process_->descriptor(), timer_.get(), printed_.descriptor()};
  }
  void set_timer(Clock::time_point time) override;
  bool timer_ran_out() override;
  void kill() override { process_->kill(); }
  bool has_ended(std::chrono::milliseconds time) const override {
    return process_->has_ended(time);
  }
  ProcessEnd wait() override;
  bool read_printed(const OnLine& on_line) override { return printed_.read(on_line); }
  void read_last_printed(const OnLine& on_line) override { printed_.read_all(on_line); }

  ProcessEnd wait_for_process();

  LineReader printed_;
  const FileDescriptor timer_;
  std::shared_ptr<ChildProcess> process_;
  Cgroup group_;
};

void SpawnedChild::set_timer(Clock::time_point time) {
  itimerspec when{};  // zero: never
  if (time != Clock::time_point::max()) {
    const auto left = time <= Clock::now() ? std::chrono::nanoseconds(1) : time - Clock::now();
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(left);
    when.it_value.tv_sec = std::min<int64_t>(seconds.count(), kYear.count());
    when.it_value.tv_nsec = (left - seconds).count();
  }
  timerfd_settime(timer_.get(), 0, &when, nullptr);
}

bool SpawnedChild::timer_ran_out() {
  uint64_t times = 0;
  return read(timer_.get(), &times, sizeof(times)) == sizeof(times);
}

ProcessEnd SpawnedChild::wait() {
  ProcessEnd end = wait_for_process();
  if (end.kind == ProcessEnd::Kind::kKilled) end.words += memory_remark(group_);
  group_ = Cgroup();
  return end;
}

ProcessEnd SpawnedChild::wait_for_process() {
  if (process_->has_ended(kKillTime)) return process_->wait();
  // It hangs in the kernel, with a disk that does not answer for one. Whenever it ends, it is taken
  // off the list.
  try {
    std::thread([process = process_] { process->wait(); }).detach();
  } catch (const std::system_error&) {
    // Then it stays on the list until the agent ends.
  }
  return ProcessEnd::failed("was killed and hangs in the kernel");
}

}  // namespace

Result<std::shared_ptr<ChildConnection>> ChildConnection::open(const Options& options) {
  auto to_child = make_pipe();
  if (!to_child) return std::move(to_child).error();
  auto from_child = make_pipe();
  if (!from_child) return std::move(from_child).error();
  auto printed = make_pipe();
  if (!printed) return std::move(printed).error();
  for (const FileDescriptor* own : {&to_child->writer, &from_child->reader, &printed->reader}) {
    make_nonblocking(*own);
  }
  const FileDescriptor image(::open(options.image.c_str(), O_RDONLY | O_CLOEXEC));
  if (!image) {
    return Error(StatusCode::kUnknown, "open the image of the module").because(image.error());
  }
  FileDescriptor timer(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
  if (!timer) return Error(StatusCode::kUnknown, "make a timer").because(timer.error());
  auto ends = pipe_transport_of(std::move(from_child->reader), std::move(to_child->writer));
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
      std::make_shared<SpawnedChild>(std::move(*ends), options.frames, std::move(printed->reader),
                                     std::move(timer), std::move(*process), std::move(*group)));
}

}  // namespace longshore::supervise
