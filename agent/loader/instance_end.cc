// The end of an instance: drained, stopped, destroyed, or left behind where that cannot be.
#include <algorithm>
#include <utility>

#include "loader/instance.h"
#include "observe/crash_handler.h"
#include "router/module_wait.h"

namespace longshore::loader {
namespace {

using router::Clock;

// Time that a cancelled call gets to come to its end.
constexpr std::chrono::seconds kCancelGrace{1};
// Of the module's `destroy`, at least. A process of its own is killed and waited for in it.
constexpr std::chrono::seconds kDestroyTime{2};

constexpr const char* kAction = "stop the module";

// What is left until the deadline. A step that a well-behaved module takes at once has some time
// after it too, as its threads may have to wait for a processor.
Clock::duration left_until(Clock::time_point deadline, Clock::duration least = kCancelGrace) {
  return std::max(deadline - Clock::now(), least);
}

}  // namespace

bool Instance::drain(Clock::time_point deadline) {
  lifecycle_->reach(State::kDraining);
  admission_.begin_drain();
  end_calls("is draining", [](const router::Call& call) { return call.method().long_running; });
  return admission_.finish_drain(deadline);
}

void Instance::resume() {
  lifecycle_->reach(State::kServing);
  admission_.resume();
}

Result<Secret> Instance::stop(Clock::time_point deadline, StuckCalls stuck) {
  const router::ModuleWait waits;
  admission_.close();
  if (lifecycle_->state() == State::kServing) lifecycle_->reach(State::kDraining);
  end_calls("is being stopped",
            [](const router::Call& call) { return call.method().long_running; });
  if (!wait_for_start()) return abandon(kAction, "its start never returned");
  Result<Secret> handover = Secret();
  if (wants_stop()) {
    handover = control(kStop, left_until(deadline), {});
  }
  if (handover) {
    const std::lock_guard lock(mutex_);
    left_ = Secret::copy_of(handover->text());
  }
  if (options_.on_handover) options_.on_handover(handover);
  if (!admission_.wait_until_empty(deadline, stuck) || stuck == StuckCalls::kLeft) {
    end_calls("is being stopped", [](const router::Call&) { return true; });
    if (!admission_.wait_until_empty(Clock::now() + kCancelGrace, StuckCalls::kAwaited)) {
      return abandon(kAction, "calls of it did not end when they were cancelled");
    }
  }
  if (!host_.end(left_until(deadline))) {
    return abandon(kAction, "work that it began did not come to an end");
  }
  // One that hangs still holds its call: then there is nothing to destroy safely.
  if (has_control_call()) return abandon(kAction, "its stop never returned");
  if (!gate_.close(Clock::now() + left_until(deadline))) {
    return abandon(kAction, "a function of it, whose call is finished, does not return");
  }
  if (!destroy(left_until(deadline, kDestroyTime))) return abandon(kAction, "its destroy hangs");
  pool_.drain(Clock::now() + kCancelGrace);
  notifications_.drain(Clock::now() + kCancelGrace);
  lifecycle_->reach(State::kStopped);
  const std::lock_guard lock(mutex_);
  ended_ = true;
  return handover;
}

// One that is late may yet come to its end, and has then begun what stop is to end.
bool Instance::wait_for_start() {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, kCancelGrace, [&] { return start_step_ != StartStep::kRuns; });
}

bool Instance::wants_stop() const {
  const std::lock_guard lock(mutex_);
  return start_step_ == StartStep::kDone;
}

bool Instance::destroy(Clock::duration time) {
  return within(time, [this] {
    const observe::CallOnThread on_thread(options_.name, "destroy", {});
    functions_.destroy(std::exchange(self_, nullptr));
  });
}

void Instance::end_calls(const char* why, bool (*which)(const router::Call& call)) {
  for (const auto& call : router_.calls().all()) {
    if (!call->belongs_to(*this) || !which(*call)) continue;
    call->end_early(StatusCode::kUnavailable, "the module " + options_.name + " " + why);
  }
}

bool Instance::has_control_call() const {
  for (const auto& call : router_.calls().all()) {
    if (call->belongs_to(*control_target_)) return true;
  }
  return false;
}

Error Instance::abandon(const char* action, std::string why) {
  {
    const std::lock_guard lock(mutex_);
    kept_alive_ = shared_from_this();
  }
  host_.close();
  lifecycle_->fail(why);
  host_.disconnect();
  log_.error("the module could not be ended and is abandoned",
             {{"module", options_.name}, {"reason", why}});
  return Error(StatusCode::kDeadlineExceeded, action, options_.name).because(std::move(why));
}

bool Instance::is_abandoned() const {
  const std::lock_guard lock(mutex_);
  return kept_alive_ != nullptr;
}

bool Instance::has_ended() const {
  const std::lock_guard lock(mutex_);
  return ended_ || kept_alive_ != nullptr;
}

Secret Instance::handover() const {
  const std::lock_guard lock(mutex_);
  return Secret::copy_of(left_.text());
}

}  // namespace longshore::loader
