// Bringing an instance to life: create, start and the first Health/Check, and the way in which
// start and stop are called.
#include <algorithm>
#include <condition_variable>
#include <future>
#include <mutex>
#include <utility>

#include "loader/instance.h"
#include "loader/sized_struct.h"
#include "observe/crash_handler.h"
#include "router/module_wait.h"

namespace longshore::loader {
namespace {

using router::Call;
using router::Clock;

// Waits for the outcome of a call of the agent's own.
class ControlObserver final : public router::CallObserver {
 public:
  bool on_message(std::string message) override {
    const std::lock_guard lock(mutex_);
    message_.append(message);
    wipe(message);
    return true;
  }
  void on_response(std::string message) override {
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
  Result<Secret> wait() {
    const router::ModuleWait waits;
    std::unique_lock lock(mutex_);
    done_.wait(lock, [&] { return finished_; });
    if (code_ != StatusCode::kOk) return Error::of_text(code_, text_);
    return std::move(message_);
  }

 private:
  std::mutex mutex_;
  std::condition_variable done_;
  bool finished_ = false;
  StatusCode code_ = StatusCode::kUnknown;
  std::string text_;
  Secret message_;
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

router::CallRequest request_of_agent(std::string bytes,
                                     const std::shared_ptr<router::CallObserver>& observer) {
  router::CallRequest request;
  request.request = std::move(bytes);
  request.caller = std::make_shared<router::Caller>(router::Caller{"agent", "agent", nullptr});
  request.observer = observer;
  return request;
}

}  // namespace

Result<std::shared_ptr<Instance>> Instance::create(std::shared_ptr<ModuleCode> code,
                                                   InstanceOptions options, router::Router& router,
                                                   observe::Log& log) {
  std::shared_ptr<Instance> instance(
      new Instance(std::move(code), std::move(options), router, log));
  instance->make_control_target();
  instance->host_.connect({instance, &instance->host_},
                          {instance.get(), instance->control_target_.get()});
  if (auto created = instance->create_self(); !created) return std::move(created).error();
  instance->lifecycle_->reach(State::kCreated);
  return instance;
}

Result<void> Instance::create_self() {
  struct Made {
    longshore_result answer = LONGSHORE_REFUSED;
    void* self = nullptr;
    const longshore_instance* functions = nullptr;
  };
  const auto made = std::make_shared<Made>();  // may be written when nobody waits any more
  const bool returned = within(options_.start_timeout, [this, made] {
    const observe::CallOnThread on_thread(options_.name, "create", {});
    made->answer = code_->create(host_.table(), &made->self, &made->functions);
  });
  const char* const action = "create the module instance";
  if (!returned) return abandon(action, "its create does not return");
  const auto refused = [&](const char* why) {
    lifecycle_->fail(why);
    return Error(StatusCode::kFailedPrecondition, action, options_.name).because(why);
  };
  if (made->answer != LONGSHORE_OK) return refused("the module refused");
  if (!made->functions) return refused("the module gave no functions");
  functions_ = copy_of(made->functions);
  if (!functions_.start || !functions_.invoke || !functions_.stop || !functions_.destroy) {
    return refused("the module lacks start, invoke, stop or destroy");
  }
  self_ = made->self;
  return {};
}

bool Instance::within(std::chrono::nanoseconds time, std::function<void()> function) {
  const auto returned = std::make_shared<std::promise<void>>();
  std::future<void> done = returned->get_future();
  pool_.post([keep = shared_from_this(), function = std::move(function), returned] {
    function();
    returned->set_value();
  });
  const router::ModuleWait waits;
  return done.wait_for(time) == std::future_status::ready;
}

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
    const InFlightGuard stay(instance->gate_);
    const observe::CallOnThread on_thread(instance->options_.name, call.method().name, {});
    if (call.method().name == kStop) return functions.stop(instance->self_, call.handle());
    const std::string& handover = instance->handover_.text();
    functions.start(instance->self_, call.handle(), {call.request().data(), call.request().size()},
                    {handover.data(), handover.size()});
  }

  void on_cancel(Call& call) override {
    if (const auto instance = instance_.lock()) instance->on_cancel(call);
  }
  void on_writable(Call& call) override {
    if (const auto instance = instance_.lock()) instance->on_writable(call);
  }
  void on_end(Call& call) override {
    const auto instance = instance_.lock();
    if (instance && call.method().name == kStart) instance->start_ended(call.finished_well());
  }

 private:
  const std::weak_ptr<Instance> instance_;  // a deadline may come when it is gone
};

void Instance::make_control_target() {
  control_target_ = std::make_shared<ControlTarget>(weak_from_this());
}

Result<Secret> Instance::control(const char* name, std::chrono::nanoseconds timeout,
                                 std::string request_bytes) {
  const auto observer = std::make_shared<ControlObserver>();
  router_.call_directly(control_target_, control_method(name, timeout),
                        request_of_agent(std::move(request_bytes), observer));
  // Who gave it up before may have looked for the call too early.
  if (std::string_view(name) == kStart && start_is_given_up()) end_start();
  return observer->wait();
}

Result<void> Instance::start(std::string settings, std::string_view handover) {
  handover_ = Secret::copy_of(handover);
  {
    const std::lock_guard lock(mutex_);
    start_step_ = StartStep::kRuns;
  }
  const auto failed = [&](const Error& error) {
    admission_.close();
    lifecycle_->fail(error.message());
    return Error(error.code(), "start the module", options_.name).because(error.message());
  };
  const Result<Secret> started = control(kStart, options_.start_timeout, std::move(settings));
  if (!started) return failed(started.error());
  handover_ = {};
  lifecycle_->reach(State::kStarted);
  admission_.open();  // no route leads here yet
  if (auto healthy = probe(); !healthy) return failed(healthy.error());
  const std::lock_guard lock(mutex_);
  lifecycle_->reach(State::kServing);
  started_at_ = Clock::now();
  return {};
}

void Instance::give_up_start() {
  {
    const std::lock_guard lock(mutex_);
    start_is_given_up_ = true;
  }
  end_start();
}

bool Instance::start_is_given_up() const {
  const std::lock_guard lock(mutex_);
  return start_is_given_up_;
}

void Instance::end_start() {
  for (const auto& call : router_.calls().all()) {
    if (!call->belongs_to(*control_target_) || call->method().name != kStart) continue;
    call->end_early(StatusCode::kUnavailable, "the agent is ending");
  }
}

void Instance::start_ended(bool well) {
  const std::lock_guard lock(mutex_);
  start_step_ = well ? StartStep::kDone : StartStep::kNone;
  changed_.notify_all();
}

Result<void> Instance::probe() {
  if (!facts().description.health_check) return {};
  auto method = std::make_shared<router::Method>(*facts().description.health_check);
  method->timeout = options_.start_timeout;
  const auto observer = std::make_shared<ControlObserver>();
  router_.call_directly(shared_from_this(), std::move(method), request_of_agent({}, observer));
  const Result<Secret> answer = observer->wait();
  if (answer) return {};
  return Error::of_text(answer.error().code(),
                        "it says that it is not healthy: " + answer.error().message());
}

void Instance::ask(const router::Method& method, std::string request,
                   std::chrono::nanoseconds patience,
                   std::shared_ptr<router::CallObserver> observer) {
  auto timed = std::make_shared<router::Method>(method);
  timed->timeout = patience;
  router_.call_directly(shared_from_this(), std::move(timed),
                        request_of_agent(std::move(request), observer));
}

}  // namespace longshore::loader
