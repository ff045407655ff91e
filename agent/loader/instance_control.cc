// Starting and ending an instance: everything of Instance that is done by one thread at a time.
#include <algorithm>
#include <condition_variable>
#include <future>
#include <set>
#include <utility>

#include "loader/instance.h"

namespace longshore::loader {
namespace {

using router::Call;
using router::Clock;

// Time that a cancelled call gets to come to its end.
constexpr std::chrono::seconds kCancelGrace{1};

// Waits for the outcome of a start or stop call.
class ControlObserver final : public router::CallObserver {
 public:
  bool on_message(std::string message) override {
    const std::lock_guard lock(mutex_);
    message_ += message;
    return true;
  }
  void on_answer(std::string message) override {
    on_message(std::move(message));
    on_finish(StatusCode::kOk, {});
  }
  void on_finish(StatusCode code, std::string text) override {
    const std::lock_guard lock(mutex_);
    finished_ = true;
    code_ = code;
    text_ = std::move(text);
    done_.notify_all();
  }

  // The deadline of the call is what ends this at the latest.
  Result<std::string> wait() {
    std::unique_lock lock(mutex_);
    done_.wait(lock, [&] { return finished_; });
    if (code_ != StatusCode::kOk) return Error::of_text(code_, text_);
    return message_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable done_;
  bool finished_ = false;
  StatusCode code_ = StatusCode::kUnknown;
  std::string text_;
  std::string message_;
};

std::shared_ptr<const router::Method> control_method(const char* name,
                                                     std::chrono::nanoseconds timeout) {
  auto method = std::make_shared<router::Method>();
  method->full_name = name;
  method->name = name;
  method->server_streaming = true;  // of any number of messages: the handover
  method->timeout = timeout;
  return method;
}

constexpr const char* kStart = "start";
constexpr const char* kStop = "stop";

}  // namespace

// Start and stop run on a pool thread, so that one that hangs can be left behind.
class Instance::ControlTarget final : public router::Target {
 public:
  explicit ControlTarget(std::weak_ptr<Instance> instance) : instance_(std::move(instance)) {}

  Result<void> submit(std::shared_ptr<Call> call) override {
    if (const auto instance = instance_.lock()) instance->pool_.post(std::move(call));
    return {};
  }

  void execute(Call& call) override {
    const auto instance = instance_.lock();
    if (!instance) return;
    const longshore_instance& functions = instance->functions_;
    const EntryGate::Stay stay(instance->gate_);
    if (call.method().name == kStop) return functions.stop(instance->self_, call.handle());
    const std::string& handover = instance->handover_;
    functions.start(instance->self_, call.handle(), {call.request().data(), call.request().size()},
                    {handover.data(), handover.size()});
  }

  void on_cancel(Call& call) override {
    if (const auto instance = instance_.lock()) instance->on_cancel(call);
  }
  void on_writable(Call& call) override {
    if (const auto instance = instance_.lock()) instance->on_writable(call);
  }

 private:
  const std::weak_ptr<Instance> instance_;  // a deadline may come when it is gone
};

void Instance::make_control_target() {
  control_target_ = std::make_shared<ControlTarget>(weak_from_this());
}

Result<std::string> Instance::control(const char* name, std::chrono::nanoseconds timeout,
                                      std::string request_bytes) {
  const auto observer = std::make_shared<ControlObserver>();
  router::CallRequest request;
  request.request = std::move(request_bytes);
  request.caller = std::make_shared<router::Caller>(router::Caller{"agent", "agent", nullptr});
  request.observer = observer;
  router_.call_directly(control_target_, control_method(name, timeout), std::move(request));
  return observer->wait();
}

Result<void> Instance::start(std::string settings, std::string handover) {
  handover_ = std::move(handover);
  const Result<std::string> started = control(kStart, options_.start_timeout, std::move(settings));
  const std::lock_guard lock(mutex_);
  if (!started) {
    state_ = State::kFailed;
    reason_ = started.error().message();
    return Error(started.error().code(), "start the module", options_.name).because(reason_);
  }
  handover_.clear();
  state_ = State::kServing;
  started_at_ = Clock::now();
  return {};
}

Result<std::string> Instance::stop(Clock::time_point deadline) {
  bool started = false;
  {
    const std::lock_guard lock(mutex_);
    started = state_ == State::kServing;
    if (started) state_ = State::kDraining;
  }
  Result<std::string> handover = std::string();
  if (started) {
    handover = control(kStop, std::max(deadline - Clock::now(), Clock::duration(kCancelGrace)), {});
  }
  if (!wait_for_calls(deadline)) {
    cancel_all_calls();
    if (!wait_for_calls(Clock::now() + kCancelGrace)) {
      return abandon("calls of it did not end when they were cancelled");
    }
  }
  if (!end_posts_and_invocations()) {
    return abandon("work that it began did not come to an end");
  }
  // A start or stop that hangs still holds its call: then there is nothing to destroy safely.
  if (has_control_call()) return abandon("its start or stop never returned");
  if (!gate_.close(std::max(deadline, Clock::now() + kCancelGrace))) {
    return abandon("a function of it, whose call is finished, does not return");
  }
  if (!destroy()) return abandon("its destroy hangs");
  pool_.drain(Clock::now() + kCancelGrace);
  const std::lock_guard lock(mutex_);
  if (state_ != State::kFailed) state_ = State::kStopped;
  return handover;
}

// On a pool thread, so that one that hangs can be left behind.
bool Instance::destroy() {
  const auto destroyed = std::make_shared<std::promise<void>>();
  std::future<void> done = destroyed->get_future();
  pool_.post([this, destroyed] {
    functions_.destroy(std::exchange(self_, nullptr));
    destroyed->set_value();
  });
  return done.wait_until(Clock::now() + kCancelGrace) == std::future_status::ready;
}

bool Instance::wait_for_calls(Clock::time_point deadline) {
  std::unique_lock lock(mutex_);
  return changed_.wait_until(lock, deadline, [&] { return running_ == 0 && waiting_.empty(); });
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
    posts_cancelled_ = true;
    posts = posts_;
  }
  for (const auto& posted : posts) {
    router_.timers().disarm(*posted);
    posted->run_with(LONGSHORE_CANCELLED);
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

Error Instance::abandon(std::string why) {
  {
    const std::lock_guard lock(mutex_);
    state_ = State::kFailed;
    reason_ = why;
  }
  bridge_->disconnect();
  {
    const std::lock_guard lock(mutex_);
    kept_alive_ = shared_from_this();
  }
  log_.error("the module could not be ended and is abandoned",
             {{"module", options_.name}, {"reason", why}});
  return Error(StatusCode::kDeadlineExceeded, "stop the module", options_.name)
      .because(std::move(why));
}

bool Instance::is_abandoned() const {
  const std::lock_guard lock(mutex_);
  return kept_alive_ != nullptr;
}

}  // namespace longshore::loader
