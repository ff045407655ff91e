// What the process of a module says, frame by frame.
#include <algorithm>
#include <utility>

#include "longshore/context.hpp"
#include "observe/log_line.h"
#include "supervise/child_instance.h"
#include "supervise/handshake.h"
#include "text/escape.h"

namespace longshore::supervise {
namespace {

// What calls that did not end by the deadline of stop get after they were cancelled.
constexpr std::chrono::milliseconds kCancelTime{500};

// What a process says, as logs and answers may show it.
std::string shown(std::string_view text) {
  constexpr size_t kMostBytes = 1024;
  std::string escaped = text::escaped(text.substr(0, kMostBytes));
  return text.size() > kMostBytes ? escaped + "..." : escaped;
}

}  // namespace

bool ChildInstance::on_frame(const std::shared_ptr<ChildConnection>& child,
                             ChildInvocations& its_calls, const Frame& frame) {
  switch (frame.type) {
    case FrameType::kReady:
      return on_ready(*child, frame);
    case FrameType::kStarted:
      return on_started(child, frame);
    case FrameType::kStopped:
      return on_stopped(*child, frame);
    case FrameType::kMessage:
      if (const auto call = find(frame.id)) return call->on_message(frame.payload);
      return true;
    case FrameType::kFinish:
      return on_finish(frame);
    case FrameType::kInvoke: {
      const auto head = head_of<child::v1::Invoke>(frame);
      if (head) its_calls.begin(frame.id, *head, frame.payload);
      return head.has_value();
    }
    case FrameType::kCancelInvocation:
      its_calls.cancel(frame.id);
      return true;
    case FrameType::kGrantInvocation: {
      const auto head = head_of<child::v1::Grant>(frame);
      if (head) its_calls.grant(frame.id, head->messages());
      return head.has_value();
    }
    case FrameType::kLog:
      return on_log(frame);
    case FrameType::kViolations:
      return on_violations(frame);
    case FrameType::kDegraded:
      return on_degraded(frame);
    case FrameType::kWaits:
      return on_waits(frame);
    default:
      return false;
  }
}

bool ChildInstance::on_ready(ChildConnection& child, const Frame& frame) {
  const auto ready = head_of<child::v1::Ready>(frame);
  if (!ready) return false;
  std::string refusal = ready->refusal();
  if (const auto same = check_versions(*ready, "the module host", "the agent"); !same) {
    refusal = same.error().message();
  }
  if (refusal.empty()) return true;
  child.kill_now("did not take the module: " + shown(refusal));
  return true;
}

bool ChildInstance::on_started(const std::shared_ptr<ChildConnection>& child, const Frame& frame) {
  const auto outcome = head_of<child::v1::End>(frame);
  if (!outcome) return false;
  const auto code = static_cast<StatusCode>(outcome->code());
  longshore_call start_call = 0;
  std::vector<std::shared_ptr<ChildCall>> kept;
  {
    const std::lock_guard lock(mutex_);
    if (!std::exchange(awaits_started_, false)) return false;
    start_call = std::exchange(start_call_, 0);
    if (code == StatusCode::kOk && state_ == State::kStarting) {
      state_ = State::kServing;
      has_served_ = true;
      child->kill_at(Clock::time_point::max(), {});  // not where a stop has set it meanwhile
      for (const auto& [id, call] : calls_) {
        if (!call->is_sent) kept.push_back(call);
      }
      std::sort(kept.begin(), kept.end(),
                [](const auto& a, const auto& b) { return a->number < b->number; });
      for (const auto& call : kept) call->is_sent = true;
      std::erase_if(kept, [&](const auto& call) { return call->send(child); });
    }
  }
  if (code != StatusCode::kOk) {
    if (start_call != 0) finish(start_call, code, shown(outcome->text()));
    child->kill_now("could not start the module: " + shown(outcome->text()));
    return true;
  }
  parts_.log.info(
      "the process of the module serves",
      {{"module", parts_.options.name}, {"process", std::to_string(child->process_id())}});
  if (start_call != 0) finish(start_call, StatusCode::kOk, {});
  for (const auto& call : kept) call->end(StatusCode::kResourceExhausted, kManyWait);
  return true;
}

bool ChildInstance::on_stopped(ChildConnection& child, const Frame& frame) {
  const auto outcome = head_of<child::v1::End>(frame);
  longshore_call stop_call = 0;
  Clock::time_point deadline;
  {
    const std::lock_guard lock(mutex_);
    stop_call = std::exchange(stop_call_, 0);
    deadline = stop_deadline_;
  }
  if (!outcome) return false;
  if (stop_call == 0) return is_ending();  // it is destroyed without having been stopped
  child.kill_at(deadline + kCancelTime,
                "was killed because its calls did not end when they were cancelled");
  if (!frame.payload.empty()) host_->send(host_, stop_call, to_bytes(frame.payload));
  finish(stop_call, static_cast<StatusCode>(outcome->code()), shown(outcome->text()));
  return true;
}

bool ChildInstance::on_finish(const Frame& frame) {
  const auto end = head_of<child::v1::End>(frame);
  if (!end) return false;
  const auto call = find(frame.id);
  if (!call) return true;  // it was ended meanwhile
  if (end->has_response()) call->on_response(frame.payload);
  call->end(static_cast<StatusCode>(end->code()), shown(end->text()));
  return true;
}

bool ChildInstance::on_log(const Frame& frame) {
  const auto head = head_of<child::v1::Log>(frame);
  if (head) host_->log(host_, head->level(), head->call(), to_bytes(frame.payload));
  return head.has_value();
}

bool ChildInstance::on_degraded(const Frame& frame) {
  {
    const std::lock_guard lock(mutex_);
    if (is_ending_) return true;
    is_degraded_ = !frame.payload.empty();
  }
  const std::string reason = shown(frame.payload);
  host_->set_degraded(host_, to_bytes(reason));
  return true;
}

bool ChildInstance::on_waits(const Frame& frame) {
  const auto call = find(frame.id);
  if (call && parts_.set_waiting) parts_.set_waiting(host_, call->id(), shown(frame.payload));
  return true;
}

bool ChildInstance::on_violations(const Frame& frame) {
  const auto head = head_of<child::v1::Violations>(frame);
  if (!head) return false;
  const std::lock_guard lock(mutex_);
  // They may come out of order, from several threads of the module's.
  if (head->count() <= violations_) return true;
  violations_ = head->count();
  last_violation_ = shown(frame.payload);
  return true;
}

}  // namespace longshore::supervise
