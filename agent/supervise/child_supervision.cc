// The process of a module: started, greeted, and started again when it ends.
#include <algorithm>
#include <utility>

#include "longshore/context.hpp"
#include "observe/crash_handler.h"
#include "observe/crash_records.h"
#include "supervise/child_instance.h"
#include "supervise/handshake.h"

namespace longshore::supervise {
namespace {

constexpr std::chrono::minutes kWindow{1};
constexpr std::chrono::milliseconds kFirstDelay{100};

}  // namespace

void ChildInstance::run() {
  do {
    const ProcessEnd end = run_process();
    on_end(end);
  } while (await_next());
  std::vector<std::shared_ptr<ChildCall>> left;
  std::string why;
  {
    const std::lock_guard lock(mutex_);
    state_ = State::kOver;
    why = refusal();
    for (const auto& [id, call] : calls_) left.push_back(call);
  }
  for (const auto& call : left) call->end(StatusCode::kUnavailable, why);
}

ProcessEnd ChildInstance::run_process() {
  const ChildOptions& options = parts_.options;
  auto opened = ChildConnection::open({options.program, options.name, parts_.file.loadable_path(),
                                       options.frames, options.limits, options.groups});
  if (!opened) {
    return ProcessEnd::failed("could not be started (" + opened.error().message() + ")");
  }
  const std::shared_ptr<ChildConnection> child = std::move(*opened);
  {
    const std::lock_guard lock(mutex_);
    child_ = child;
    if (is_ending_) child->kill_now("is not needed any more");
  }
  greet(*child);
  const auto its_calls = std::make_shared<ChildInvocations>(host_, child);
  ProcessEnd end = child->serve(
      [&](const Frame& frame) { return on_frame(child, *its_calls, frame); },
      [&](std::string_view line) {
        note_crash(line);
        // As the agent tells of its own crash.
        const bool is_crash = line.starts_with(observe::kPrintedCrash);
        const std::string text = "its process printed: " + std::string(line);
        host_->log(host_, is_crash ? LONGSHORE_LOG_ERROR : LONGSHORE_LOG_INFO, 0, to_bytes(text));
      });
  its_calls->cancel_all();
  keep_crash(child->process_id());
  return end;
}

void ChildInstance::note_crash(std::string_view line) {
  if (!line.starts_with(observe::kPrintedCrash)) return;
  if (crash_.size() + line.size() > observe::kMaxCrashRecordBytes) return;
  crash_.append(line.substr(observe::kPrintedCrash.size())) += '\n';
}

// What the process says of itself is as true as its module is.
void ChildInstance::keep_crash(int process) {
  std::string text = std::exchange(crash_, {});
  if (text.empty()) return;
  // Outside of a call it does not say whose it is.
  if (text.find("\nmodule: ") == std::string::npos) {
    text += "module: " + parts_.options.name + '\n';
  }
  const auto kept =
      observe::add_crash_record(parts_.options.state_dir, parts_.options.name, process, text);
  if (!kept) {
    parts_.log.warning("the record of a crash is not kept",
                       {{"module", parts_.options.name}, {"reason", kept.error().message()}});
  }
}

void ChildInstance::greet(ChildConnection& child) {
  const ChildOptions& options = parts_.options;
  auto hello = with_own_versions<child::v1::Hello>();
  hello.set_instance(options.name);
  hello.set_module(parts_.facts.name);
  hello.set_sha256(parts_.facts.sha256);
  hello.set_max_message_bytes(options.max_message_bytes);
  hello.set_max_frame_bytes(options.frames.frame_bytes);
  hello.set_max_concurrent_calls(options.max_concurrent_calls);
  hello.set_max_open_streams(options.max_open_streams);
  hello.set_max_stuck_calls(options.max_stuck_calls);
  hello.set_max_calls_per_bulkhead(options.max_calls_per_bulkhead);
  hello.set_max_queued_calls(options.max_queued_calls);
  *hello.mutable_restrictions() = options.restrictions;
  for (const router::Method& method : parts_.facts.description.methods) {
    auto* described = hello.add_methods();
    described->set_name(method.full_name);
    described->set_reads_only(method.reads_only);
    described->set_non_blocking(method.non_blocking);
    described->set_server_streaming(method.server_streaming);
    described->set_object_field(method.object_field);
    described->set_object_type(method.object_type);
    described->set_request_has_secrets(method.request_has_secrets);
    described->set_long_running(method.long_running);
  }
  child::v1::Start start;
  start.set_timeout_ns(std::chrono::nanoseconds(options.start_timeout).count());
  auto kill_time = Clock::now() + options.start_timeout;
  std::string settings;
  Secret handover;
  {
    const std::lock_guard lock(mutex_);
    if (start_call_ != 0) kill_time = shortly_before(deadline_of(start_call_));
    handover = std::move(handover_);
    settings = settings_;
    awaits_started_ = true;
    if (!is_ending_) child.kill_at(kill_time, "was killed because it did not start in time");
  }
  child.frames().send(FrameType::kHello, 0, hello);
  if (!handover.empty()) child.frames().send({FrameType::kHandover, 0, {}, handover.text(), true});
  child.frames().send(FrameType::kStart, 0, start, settings);
}

void ChildInstance::on_end(const ProcessEnd& end) {
  longshore_call start_call = 0;
  longshore_call stop_call = 0;
  std::vector<std::shared_ptr<ChildCall>> lost;
  State next{};
  bool was_degraded = false;
  {
    const std::lock_guard lock(mutex_);
    was_degraded = std::exchange(is_degraded_, false);
    child_.reset();
    last_end_ = end.words;
    violations_of_ended_ += std::exchange(violations_, 0);
    next = state_ = state_after_end(state_ == State::kServing);
    start_call = std::exchange(start_call_, 0);
    stop_call = std::exchange(stop_call_, 0);
    for (const auto& [id, call] : calls_) {
      if (keep_for_next(*call, next)) continue;
      lost.push_back(call);
    }
  }
  log_end(end, next, lost.size());
  // After its stop the instance says nothing any more.
  if (was_degraded && next != State::kOver) host_->set_degraded(host_, {});
  if (start_call != 0) finish(start_call, StatusCode::kFailedPrecondition, sentence(end));
  if (stop_call != 0) finish(stop_call, StatusCode::kUnavailable, sentence(end));
  for (const auto& call : lost) {
    call->end(StatusCode::kUnavailable,
              sentence(end) +
                  (call->is_sent || call->was_retried ? "; the call may have taken effect" : ""));
  }
}

ChildInstance::State ChildInstance::state_after_end(bool was_serving) {
  if (is_ending_ || !has_served_) return State::kOver;
  if (was_serving) {
    starts_in_vain_ = 0;
  } else if (++starts_in_vain_ > kMostStartsInVain) {
    return quarantined();
  }
  const auto now = Clock::now();
  ends_.push_back(now);
  while (now - ends_.front() > kWindow) ends_.pop_front();
  if (ends_.size() > parts_.options.restart_max) return quarantined();
  next_start_ = now;
  if (ends_.size() == 1) return State::kStarting;
  const auto doublings = std::min<size_t>(ends_.size() - 2, 20);
  next_start_ += std::min<std::chrono::nanoseconds>(kFirstDelay * (1 << doublings),
                                                    parts_.options.restart_delay_max);
  return State::kWaiting;
}

ChildInstance::State ChildInstance::quarantined() {
  if (!parts_.options.quarantine_time) return State::kQuarantined;
  next_start_ = Clock::now() + *parts_.options.quarantine_time;
  return State::kWaiting;
}

bool ChildInstance::keep_for_next(ChildCall& call, State next) const {
  if (next != State::kStarting && next != State::kWaiting) return false;
  if (!call.is_wanted()) return false;
  if (!call.is_sent) return next == State::kStarting;
  const bool again = parts_.options.retry_idempotent && call.is_idempotent && !call.has_begun() &&
                     !std::exchange(call.was_retried, true);
  if (again) {
    call.is_sent = false;
    call.take_back();
  }
  return again;
}

bool ChildInstance::await_next() {
  std::unique_lock lock(mutex_);
  if (state_ == State::kOver) return false;
  const auto ending = [&] { return is_ending_; };
  if (state_ == State::kQuarantined) {
    changed_.wait(lock, ending);
  } else {
    changed_.wait_until(lock, next_start_, ending);
  }
  if (is_ending_) return false;
  state_ = State::kStarting;
  ++restarts_;
  return true;
}

void ChildInstance::log_end(const ProcessEnd& end, State next, size_t calls) {
  if (next == State::kOver) {
    if (has_served_ && end.kind != ProcessEnd::Kind::kInOrder) {
      parts_.log.warning("the process of the module ended",
                         {{"module", parts_.options.name}, {"reason", end.words}});
    }
    return;
  }
  const auto delay = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::max(next_start_ - Clock::now(), Clock::duration(0)));
  parts_.log.error(next == State::kQuarantined
                       ? "the process of the module ended too often; the module is quarantined"
                       : "the process of the module ended and is started again",
                   {{"module", parts_.options.name},
                    {"reason", end.words},
                    {"calls_lost", std::to_string(calls)},
                    {"delay_ms", std::to_string(delay.count())}});
}

std::string ChildInstance::sentence(const ProcessEnd& end) const {
  return "the process of the module " + parts_.options.name + " " + end.words;
}

}  // namespace longshore::supervise
