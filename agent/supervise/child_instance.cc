// What the agent asks of a module in a child process. The process:
// child_supervision.cc, what it says: child_frames.cc.
#include "supervise/child_instance.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "longshore/context.hpp"
#include "router/blocked_signals.h"

namespace longshore::supervise {
namespace {

// How much sooner than start's or stop's own deadline the process is killed, so that it is gone by
// then on a busy node too. A short time is not cut by more than a fifth.
constexpr std::chrono::seconds kMargin{1};
// What the process gets to end by itself in `end`, for which the host waits two seconds.
constexpr std::chrono::milliseconds kTimeToEnd{800};

}  // namespace

ChildInstance::ChildInstance(Parts parts, const longshore_host* host) : parts_(parts), host_(host) {
  const auto& methods = parts_.facts.description.methods;
  for (uint32_t i = 0; i < methods.size(); ++i) method_numbers_.emplace(methods[i].full_name, i);
}

void ChildInstance::start(longshore_call call, std::string_view settings,
                          std::string_view handover) {
  {
    const std::lock_guard lock(mutex_);
    settings_ = settings;
    handover_ = Secret::copy_of(handover);
    start_call_ = call;
    state_ = State::kStarting;
  }
  const router::BlockedSignals blocked;
  try {
    thread_ = std::thread([this] { run(); });
  } catch (const std::system_error& error) {
    {
      const std::lock_guard lock(mutex_);
      state_ = State::kOver;
      start_call_ = 0;
    }
    finish(call, StatusCode::kResourceExhausted,
           std::string("no thread can be had for its process: ") + error.what());
  }
}

void ChildInstance::invoke(longshore_call id, std::string_view method, std::string_view request) {
  const auto number = method_numbers_.find(method);
  if (number == method_numbers_.end()) {
    return finish(id, StatusCode::kUnimplemented,
                  "the module has no method " + std::string(method));
  }
  const router::Method& described = parts_.facts.description.methods[number->second];
  auto call = std::make_shared<ChildCall>(host_, id, number->second, request, described,
                                          [this, id] { forget(id); });
  std::string why_not;
  bool taken = true;
  bool waits = false;
  {
    const std::lock_guard lock(mutex_);
    if (!is_ending_ && (state_ == State::kServing || state_ == State::kStarting)) {
      call->number = ++calls_taken_;
      call->is_sent = state_ == State::kServing;
      calls_.emplace(id, call);
      waits = !call->is_sent;
      if (call->is_sent) taken = call->send(child_);
    } else {
      why_not = refusal();
    }
  }
  if (!why_not.empty()) return finish(id, StatusCode::kUnavailable, why_not);
  if (!taken) call->end(StatusCode::kResourceExhausted, kManyWait);
  // A cancellation that came before it was in the table found nothing to cancel.
  if (waits && !call->is_wanted()) call->cancel();
}

void ChildInstance::cancel(longshore_call id) {
  if (const auto call = find(id)) call->cancel();
}

void ChildInstance::writable(longshore_call id) {
  if (const auto call = find(id)) call->pump();
}

void ChildInstance::stop(longshore_call call) {
  const auto deadline = deadline_of(call);
  const auto kill_time = shortly_before(deadline);
  std::shared_ptr<ChildConnection> child;
  std::vector<std::shared_ptr<ChildCall>> not_sent;
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
    for (const auto& [id, kept] : calls_) {
      if (!kept->is_sent) not_sent.push_back(kept);
    }
    child = child_;
    if (child) {
      stop_call_ = call;
      stop_deadline_ = deadline;
      state_ = State::kEnding;
    }
    changed_.notify_all();
  }
  for (const auto& each : not_sent) {
    each->end(StatusCode::kUnavailable, "the module " + parts_.options.name + " is being stopped");
  }
  if (!child) return finish(call, StatusCode::kOk, {});  // there is nobody to stop
  child::v1::Stop head;
  head.set_timeout_ns((deadline - Clock::now()).count());
  child->kill_at(kill_time, "was killed because its stop did not end in time");
  child->frames().send(FrameType::kStop, 0, head);
}

void ChildInstance::end() {
  {
    std::unique_lock lock(mutex_);
    is_ending_ = true;
    changed_.notify_all();
    if (child_) {
      if (state_ != State::kOver) state_ = State::kEnding;
      child_->kill_at(Clock::now() + kTimeToEnd, "was killed because it did not end in time");
      child_->frames().send({FrameType::kDestroy});
    }
  }
  if (thread_.joinable()) thread_.join();
}

void ChildInstance::kill(const std::string& end) {
  const std::lock_guard lock(mutex_);
  is_ending_ = true;
  changed_.notify_all();
  if (child_) child_->kill_now(end);
}

loader::ModuleProcess ChildInstance::process() const {
  using Shown = loader::ModuleProcess::State;
  const std::lock_guard lock(mutex_);
  loader::ModuleProcess process;
  switch (state_) {
    case State::kIdle:
    case State::kStarting:
      process.state = has_served_ ? Shown::kRestarting : Shown::kStarting;
      break;
    case State::kServing:
    case State::kEnding:
      process.state = Shown::kServing;
      break;
    case State::kWaiting:
      process.state = Shown::kRestarting;
      break;
    case State::kQuarantined:
      process.state = Shown::kQuarantined;
      break;
    case State::kOver:
      process.state = Shown::kEnded;
      break;
  }
  process.id = child_ ? child_->process_id() : 0;
  process.restarts = restarts_;
  process.last_end = last_end_;
  process.violations = violations_of_ended_ + violations_;
  process.last_violation = last_violation_;
  process.limits = parts_.options.limits_in_words;
  return process;
}

std::string ChildInstance::refusal() const {
  const std::string who = "the process of the module " + parts_.options.name + " " + last_end_;
  if (state_ == State::kWaiting) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        std::max(next_start_ - Clock::now(), Clock::duration(0)));
    return who + " and is started again in " + std::to_string(left.count()) + " ms; try again then";
  }
  if (state_ == State::kQuarantined) {
    const std::string often =
        starts_in_vain_ > kMostStartsInVain
            ? "did not come up " + std::to_string(starts_in_vain_) + " times in a row"
            : "ended " + std::to_string(ends_.size()) + " times within a minute";
    return "the module " + parts_.options.name + " is quarantined, since its process " + often +
           " and the last time " + last_end_ +
           "; find the fault in the log, then reload or upgrade the module";
  }
  return "the module " + parts_.options.name + " is being stopped";
}

std::shared_ptr<ChildCall> ChildInstance::find(longshore_call call) const {
  const std::lock_guard lock(mutex_);
  const auto found = calls_.find(call);
  return found == calls_.end() ? nullptr : found->second;
}

bool ChildInstance::is_ending() const {
  const std::lock_guard lock(mutex_);
  return is_ending_;
}

void ChildInstance::forget(longshore_call call) {
  const std::lock_guard lock(mutex_);
  calls_.erase(call);
}

void ChildInstance::finish(longshore_call call, StatusCode code, const std::string& text) const {
  host_->finish(host_, call, static_cast<int32_t>(code), to_bytes(text));
}

router::Clock::time_point ChildInstance::deadline_of(longshore_call call) const {
  longshore_call_info info{};
  info.struct_size = sizeof(info);
  host_->call_info(host_, call, &info);
  // A call without a deadline ends in a year: what is added to that does not overflow.
  return Clock::now() + std::min<Clock::duration>(std::chrono::nanoseconds(info.remaining_ns),
                                                  std::chrono::hours(24 * 365));
}

router::Clock::time_point ChildInstance::shortly_before(Clock::time_point deadline) {
  return deadline - std::min<Clock::duration>(kMargin, (deadline - Clock::now()) / 5);
}

}  // namespace longshore::supervise
