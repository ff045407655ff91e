// The end of an instance: drained, stopped, destroyed, or left behind where that cannot be.
#include <algorithm>
#include <set>
#include <utility>

#include "loader/instance.h"

namespace longshore::loader {
namespace {

using router::Clock;

// Time that a cancelled call gets to come to its end.
constexpr std::chrono::seconds kCancelGrace{1};

constexpr const char* kAction = "stop the module";

}  // namespace

bool Instance::drain(Clock::time_point deadline) {
  std::unique_lock lock(mutex_);
  admits_ = false;
  drains_ = true;
  has_moved_ = true;
  lifecycle_->reach(State::kDraining);
  drain_end_ = std::min(drain_end_, deadline);
  const auto is_idle = [&] { return running_ <= stuck_ && waiting_.empty(); };
  while (!is_idle()) {
    const Clock::time_point end = drain_end_;  // which may come nearer meanwhile
    if (changed_.wait_until(lock, end) == std::cv_status::timeout && Clock::now() >= drain_end_) {
      return is_idle();
    }
  }
  return true;
}

void Instance::hurry(Clock::time_point deadline) {
  const std::lock_guard lock(mutex_);
  drain_end_ = std::min(drain_end_, deadline);
  changed_.notify_all();
}

void Instance::resume() {
  const std::lock_guard lock(mutex_);
  drain_end_ = Clock::time_point::max();
  lifecycle_->reach(State::kServing);
  has_moved_ = false;
  drains_ = false;
  admits_ = true;
}

Result<Secret> Instance::stop(Clock::time_point deadline, StuckCalls stuck) {
  {
    const std::lock_guard lock(mutex_);
    admits_ = false;
    drains_ = false;
    if (lifecycle_->state() == State::kServing) lifecycle_->reach(State::kDraining);
  }
  if (!wait_for_start()) return abandon(kAction, "its start never returned");
  Result<Secret> handover = Secret();
  if (wants_stop()) {
    handover = control(kStop, std::max(deadline - Clock::now(), Clock::duration(kCancelGrace)), {});
  }
  if (handover) {
    const std::lock_guard lock(mutex_);
    left_ = Secret::copy_of(handover->text());
  }
  if (options_.on_handover) options_.on_handover(handover);
  if (!wait_for_calls(deadline, stuck) || stuck == StuckCalls::kLeft) {
    cancel_all_calls();
    if (!wait_for_calls(Clock::now() + kCancelGrace, StuckCalls::kAwaited)) {
      return abandon(kAction, "calls of it did not end when they were cancelled");
    }
  }
  if (!end_posts_and_invocations()) {
    return abandon(kAction, "work that it began did not come to an end");
  }
  // One that hangs still holds its call: then there is nothing to destroy safely.
  if (has_control_call()) return abandon(kAction, "its stop never returned");
  if (!gate_.close(std::max(deadline, Clock::now() + kCancelGrace))) {
    return abandon(kAction, "a function of it, whose call is finished, does not return");
  }
  if (!destroy()) return abandon(kAction, "its destroy hangs");
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

bool Instance::destroy() {
  return within(kCancelGrace, [this] { functions_.destroy(std::exchange(self_, nullptr)); });
}

bool Instance::wait_for_calls(Clock::time_point deadline, StuckCalls stuck) {
  std::unique_lock lock(mutex_);
  return changed_.wait_until(lock, deadline, [&] {
    return running_ <= (stuck == StuckCalls::kLeft ? stuck_ : 0) && waiting_.empty();
  });
}

void Instance::cancel_all_calls() {
  for (const auto& call : router_.calls().all()) {
    if (call->belongs_to(*this)) {
      call->end_early(StatusCode::kUnavailable,
                      "the module " + options_.name + " is being stopped");
    }
  }
}

bool Instance::end_posts_and_invocations() {
  std::set<std::shared_ptr<PostedFunction>> posts;
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    posts = posts_;
  }
  for (const auto& posted : posts) {
    router_.timers().disarm(*posted);
    notifications_.post([posted] { posted->run_with(LONGSHORE_CANCELLED); });
  }
  for (const auto& invocation : invocations_.all()) invocation->cancel();
  std::unique_lock lock(mutex_);
  return changed_.wait_until(lock, Clock::now() + kCancelGrace,
                             [&] { return posts_.empty() && invocations_.size() == 0; });
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
    closed_ = true;
    kept_alive_ = shared_from_this();
  }
  lifecycle_->fail(why);
  bridge_->disconnect();
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
