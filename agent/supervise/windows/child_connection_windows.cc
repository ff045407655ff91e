// The process of ChildConnection on Windows, in its job object.
#include <algorithm>
#include <utility>

#include "supervise/child_connection.h"
#include "supervise/line_cutter.h"
#include "supervise/windows/child_pipe.h"
#include "supervise/windows/child_process.h"
#include "supervise/windows/overlapped_pipe.h"
#include "supervise/windows/pipe_transport_windows.h"

namespace longshore::supervise {

using router::Clock;

namespace {

constexpr std::chrono::hours kYear{24 * 365};

class StartedChild final : public ChildConnection {
 public:
  using OnLine = LineCutter::OnLine;

  StartedChild(std::unique_ptr<PipeTransport> ends, FrameChannel::Limits limits,
               std::unique_ptr<PipeReader> printed, Handle timer, ChildProcess process)
      : ChildConnection(std::move(ends), limits),
        printed_(std::move(printed)),
        timer_(std::move(timer)),
        process_(std::move(process)) {
    printed_->prepare();
  }

  int process_id() const override { return process_.id(); }

 private:
  Handles handles() const override {
    return {process_.handle().number(), timer_.number(),
            reinterpret_cast<intptr_t>(printed_->event())};
  }
  void set_timer(Clock::time_point time) override;
  bool timer_ran_out() override;
  void kill() override { process_.kill(); }
  bool has_ended(std::chrono::milliseconds time) const override { return process_.has_ended(time); }
  ProcessEnd wait() override;
  bool read_printed(const OnLine& on_line) override;
  void read_last_printed(const OnLine& on_line) override;

  const std::unique_ptr<PipeReader> printed_;
  LineCutter lines_;
  const Handle timer_;
  Clock::time_point due_ = Clock::time_point::max();
  const ChildProcess process_;
};

void StartedChild::set_timer(Clock::time_point time) {
  using Ticks = std::chrono::duration<int64_t, std::ratio<1, 10'000'000>>;
  due_ = time;
  if (time == Clock::time_point::max()) {
    CancelWaitableTimer(timer_.get());
    return;
  }
  const auto left = std::clamp<Clock::duration>(time - Clock::now(), Clock::duration(0), kYear);
  LARGE_INTEGER when{};
  when.QuadPart = -std::max<int64_t>(std::chrono::ceil<Ticks>(left).count(), 1);  // from now
  SetWaitableTimer(timer_.get(), &when, 0, nullptr, nullptr, FALSE);
}

// The waiting has consumed it. It goes by another clock than ours, and may be early.
bool StartedChild::timer_ran_out() {
  if (due_ == Clock::time_point::max()) return false;
  if (Clock::now() >= due_) return true;
  set_timer(due_);
  return false;
}

ProcessEnd StartedChild::wait() {
  if (process_.has_ended(kKillTime)) return process_.end();
  return ProcessEnd::failed("was killed and hangs in the kernel");
}

bool StartedChild::read_printed(const OnLine& on_line) {
  char bytes[4096];
  const std::optional<size_t> count = printed_->read(bytes);
  if (!count) return false;
  lines_.add({bytes, *count}, on_line);
  printed_->prepare();
  return true;
}

void StartedChild::read_last_printed(const OnLine& on_line) {
  constexpr int kMostReads = 16;
  char bytes[4096];
  for (int reads = 0; reads < kMostReads; ++reads) {
    const std::optional<size_t> count = printed_->read(bytes);
    if (!count || *count == 0) break;
    lines_.add({bytes, *count}, on_line);
  }
  lines_.finish(on_line);
}

}  // namespace

Result<std::shared_ptr<ChildConnection>> ChildConnection::open(const Options& options) {
  auto to_child = make_child_pipe(Direction::kToChild, Way::kOverlapped);
  if (!to_child) return std::move(to_child).error();
  auto from_child = make_child_pipe(Direction::kFromChild, Way::kOverlapped);
  if (!from_child) return std::move(from_child).error();
  auto printed = make_child_pipe(Direction::kFromChild, Way::kPlain);
  if (!printed) return std::move(printed).error();
  Handle timer(CreateWaitableTimerW(nullptr, FALSE, nullptr));
  if (!timer) return Error(StatusCode::kUnknown, "make a timer").because(timer.error());
  auto ends = pipe_transport_of(std::move(from_child->own), std::move(to_child->own));
  if (!ends) return std::move(ends).error();
  auto reader = std::make_unique<PipeReader>(std::move(printed->own));
  if (reader->error()) {
    return Error(StatusCode::kUnknown, "use a pipe").because(reader->error());
  }
  auto job = JobObject::make(options.limits);
  if (!job) return std::move(job).error();
  auto process =
      ChildProcess::start({options.program, options.name, options.image, to_child->its.get(),
                           from_child->its.get(), printed->its.get()},
                          std::move(*job));
  if (!process) return std::move(process).error();
  return std::shared_ptr<ChildConnection>(std::make_shared<StartedChild>(
      std::move(*ends), options.frames, std::move(reader), std::move(timer), std::move(*process)));
}

}  // namespace longshore::supervise
