#include "loader/instance.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <utility>

#include "router/call_log.h"

namespace longshore::loader {

using router::Call;
using router::Clock;

namespace {

// A vendor's table may be shorter than ours, or longer: what we do not know of is not copied.
longshore_instance copy_of(const longshore_instance& table) {
  longshore_instance copy{};
  std::memcpy(&copy, &table, std::min<size_t>(table.struct_size, sizeof(copy)));
  return copy;
}

std::shared_ptr<const router::Caller> caller_of(const InstanceOptions& options) {
  const std::string identity = "module:" + options.name;
  return std::make_shared<router::Caller>(router::Caller{
      identity, identity,
      options.may_call ? options.may_call
                       : std::make_shared<const std::set<std::string, std::less<>>>()});
}

}  // namespace

const char* name_of(Instance::State state) {
  switch (state) {
    case Instance::State::kCreated:
      return "created";
    case Instance::State::kServing:
      return "serving";
    case Instance::State::kDraining:
      return "draining";
    case Instance::State::kStopped:
      return "stopped";
    case Instance::State::kFailed:
      return "failed";
  }
  return "unknown";
}

Result<std::shared_ptr<Instance>> Instance::create(std::shared_ptr<ModuleCode> code,
                                                   InstanceOptions options, router::Router& router,
                                                   observe::Log& log) {
  std::shared_ptr<Instance> instance(new Instance(code, std::move(options), router, log));
  instance->make_control_target();
  instance->bridge_->connect(instance);
  const longshore_instance* functions = nullptr;
  const longshore_answer answer =
      code->create(instance->bridge_->table(), &instance->self_, &functions);
  const auto refused = [&](const char* why) {
    instance->self_ = nullptr;
    return Error(StatusCode::kFailedPrecondition, "create the module instance",
                 instance->options_.name)
        .because(why);
  };
  if (answer != LONGSHORE_OK) return refused("the module refused");
  if (!functions) return refused("the module gave no functions");
  instance->functions_ = copy_of(*functions);
  const longshore_instance& table = instance->functions_;
  if (!table.start || !table.invoke || !table.stop || !table.destroy) {
    return refused("the module lacks start, invoke, stop or destroy");
  }
  return instance;
}

Instance::Instance(std::shared_ptr<ModuleCode> code, InstanceOptions options,
                   router::Router& router, observe::Log& log)
    : code_(std::move(code)),
      options_(std::move(options)),
      router_(router),
      log_(log),
      module_log_(log),
      caller_(caller_of(options_)),
      bridge_(code_->take_bridge(options_.name)),
      pool_(router.timers(), options_.name, options_.max_concurrent_calls) {}

Instance::~Instance() {
  bridge_->disconnect();
  if (!self_) code_->give_back_bridge(bridge_);  // ended well: nothing of it is left
}

Instance::Figures Instance::figures() const {
  const std::lock_guard lock(mutex_);
  Figures figures;
  figures.state = state_;
  figures.reason = reason_;
  figures.running = running_;
  figures.waiting = waiting_.size();
  figures.threads = pool_.threads();
  figures.total = total_;
  figures.failed = failed_;
  figures.stuck = stuck_;
  if (started_at_ != Clock::time_point()) {
    figures.uptime =
        std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - started_at_);
  }
  return figures;
}

// ---- calls ---------------------------------------------------------------------------------

size_t Instance::concurrency_limit() const {
  return options_.max_concurrent_calls + std::min(stuck_, options_.max_stuck_calls);
}

// Calls that name no object have nothing in common but their method.
bool Instance::names_stuck_object(const Call& call) const {
  const std::string object = call.object();
  return !object.empty() && stuck_objects_.contains(object);
}

Result<void> Instance::submit(std::shared_ptr<Call> call) {
  {
    const std::lock_guard lock(mutex_);
    const auto refused = [&](StatusCode code, std::string why) {
      return Error(code, "call", call->method().full_name).because(std::move(why));
    };
    if (state_ != State::kServing) {
      return refused(StatusCode::kUnavailable,
                     "the module " + options_.name + " is " + name_of(state_))
          .advise("try again");
    }
    if (stuck_ >= options_.max_stuck_calls && names_stuck_object(*call)) {
      return refused(StatusCode::kUnavailable,
                     "an earlier call for \"" + call->object() + "\" is stuck in the module")
          .advise("the device or server behind it does not answer");
    }
    ++total_;
    if (running_ >= concurrency_limit()) {
      if (waiting_.size() >= options_.max_queued_calls) {
        ++failed_;
        return refused(StatusCode::kResourceExhausted,
                       std::to_string(running_) + " calls of the module " + options_.name +
                           " run and " + std::to_string(waiting_.size()) + " wait")
            .advise("try again later, or raise max_concurrent_calls");
      }
      waiting_.push_back(std::move(call));
      return {};
    }
    ++running_;
    call->admitted = true;
  }
  if (call->method().non_blocking) {
    call->run();
  } else {
    begin(std::move(call));
  }
  return {};
}

void Instance::begin(std::shared_ptr<Call> call) {
  router::CallRunner* runner = call->runner();
  if (runner && runner->takes(call->method())) {
    runner->run_soon(std::move(call), pool_);
  } else {
    pool_.post(std::move(call));
  }
}

void Instance::execute(Call& call) {
  const std::string& method = call.method().full_name;
  const std::string_view request = call.request();
  const bool of_pool = pool_.is_this_thread();
  const EntryGate::Stay stay(gate_);  // open: it is closed when no call is left
  call.on_pool_thread = of_pool;
  functions_.invoke(self_, call.handle(), {method.data(), method.size()},
                    {request.data(), request.size()});
  // If this thread was given up as stuck meanwhile, another took its place.
  if (of_pool && !call.on_pool_thread.exchange(false)) pool_.thread_returned();
}

void Instance::on_cancel(Call& call) {
  const EntryGate::Stay stay(gate_);
  if (stay && functions_.cancel) functions_.cancel(self_, call.handle());
}

void Instance::on_writable(Call& call) {
  const EntryGate::Stay stay(gate_);
  if (stay && functions_.writable) functions_.writable(self_, call.handle());
}

void Instance::on_stuck(Call& call) {
  bool replace = false;
  {
    const std::lock_guard lock(mutex_);
    // It came back while the timer was on its way.
    if (call.ended || call.counted_as_stuck) return;
    call.counted_as_stuck = true;
    stuck_objects_.insert(call.object());
    ++stuck_;
    replace = stuck_ <= options_.max_stuck_calls;
  }
  log_.warning("a call is stuck", {{"module", options_.name},
                                   {"method", call.method().full_name},
                                   {"request", call.request_id()},
                                   {"object", call.object()}});
  if (replace && call.on_pool_thread.exchange(false)) pool_.thread_lost();
  start_waiting_calls();
}

void Instance::on_end(Call& call) {
  const StatusCode outcome = call.outcome();
  bool more_wait = false;
  {
    const std::lock_guard lock(mutex_);
    if (outcome != StatusCode::kOk) ++failed_;
    if (call.admitted) {
      --running_;
    } else {
      std::erase_if(waiting_, [&](const auto& each) { return each.get() == &call; });
    }
    call.ended = true;
    if (call.counted_as_stuck) {
      --stuck_;
      const auto object = stuck_objects_.find(call.object());
      if (object != stuck_objects_.end()) stuck_objects_.erase(object);
    }
    if (running_ == 0) changed_.notify_all();
    more_wait = !waiting_.empty();
  }
  log_outcome(log_, options_.name, call, outcome);
  if (more_wait) start_waiting_calls();
}

void Instance::start_waiting_calls() {
  for (;;) {
    std::shared_ptr<Call> next;
    {
      const std::lock_guard lock(mutex_);
      if (waiting_.empty() || running_ >= concurrency_limit()) return;
      next = std::move(waiting_.front());
      waiting_.pop_front();
      next->admitted = true;
      ++running_;
    }
    begin(std::move(next));
  }
}

std::shared_ptr<Call> Instance::own_call(longshore_call handle) const {
  auto call = router_.calls().find(handle);
  const bool own = call && (call->belongs_to(*this) || call->belongs_to(*control_target_));
  return own ? call : nullptr;
}

bool Instance::take_call(longshore_call handle) {
  return router_.calls().remove(handle) != nullptr;
}

// ---- what the module asks of the agent -----------------------------------------------------

longshore_answer Instance::invoke(const longshore_invoke_request& request,
                                  longshore_invocation* handle) {
  std::shared_ptr<Call> parent;
  if (request.parent != 0) {
    parent = own_call(request.parent);
    if (!parent) return LONGSHORE_STALE;
  }
  std::shared_ptr<Invocation> invocation;
  {
    // Under one lock with the check, so that an ending instance sees all that it has to wait for.
    const std::lock_guard lock(mutex_);
    if (state_ == State::kStopped || state_ == State::kFailed || posts_cancelled_) {
      return LONGSHORE_REFUSED;
    }
    invocation = std::make_shared<Invocation>(shared_from_this(), request);
    *handle = invocations_.insert(invocation);
    invocation->set_handle(*handle);
  }

  router::CallRequest call;
  call.method = {static_cast<const char*>(request.method.data),
                 static_cast<size_t>(request.method.size)};
  call.request.assign(static_cast<const char*>(request.request.data),
                      static_cast<size_t>(request.request.size));
  call.caller = caller_;
  if (parent) {
    auto caller = std::make_shared<router::Caller>(*caller_);
    caller->on_behalf_of = parent->caller().on_behalf_of;
    call.caller = std::move(caller);
  }
  if (request.timeout_ns > 0) call.timeout = std::chrono::nanoseconds(request.timeout_ns);
  call.parent = std::move(parent);
  call.observer = invocation;
  invocation->set_call(router_.call(std::move(call)));
  return LONGSHORE_OK;
}

longshore_answer Instance::cancel_invocation(longshore_invocation handle) {
  const auto invocation = invocations_.find(handle);
  if (!invocation) return LONGSHORE_STALE;
  invocation->cancel();
  return LONGSHORE_OK;
}

longshore_answer Instance::grant(longshore_invocation handle, uint32_t messages) {
  const auto invocation = invocations_.find(handle);
  if (!invocation) return LONGSHORE_STALE;
  invocation->grant(messages);
  return LONGSHORE_OK;
}

void Instance::invocation_ended(longshore_invocation handle) {
  invocations_.remove(handle);
  const std::lock_guard lock(mutex_);
  changed_.notify_all();
}

longshore_answer Instance::post(int64_t delay_ns, PostedFunction::Function function, void* user) {
  auto posted = std::make_shared<PostedFunction>(shared_from_this(), function, user);
  {
    const std::lock_guard lock(mutex_);
    if (state_ == State::kStopped || state_ == State::kFailed || posts_cancelled_) {
      return LONGSHORE_REFUSED;
    }
    posts_.insert(posted);
  }
  if (delay_ns == 0) {
    pool_.post(std::move(posted));
  } else {
    // A delay that the clock cannot count is as good as a year.
    const auto delay = std::min<std::chrono::nanoseconds>(std::chrono::nanoseconds(delay_ns),
                                                          std::chrono::hours(24 * 365));
    router_.timers().arm(*posted, Clock::now() + delay);
  }
  return LONGSHORE_OK;
}

void Instance::post_is_due(const std::shared_ptr<PostedFunction>& posted) { pool_.post(posted); }

void Instance::post_ended(PostedFunction* posted) {
  const std::lock_guard lock(mutex_);
  posts_.erase(std::static_pointer_cast<PostedFunction>(posted->shared_from_this()));
  if (posts_.empty()) changed_.notify_all();
}

void Instance::write_log(longshore_log_level level, longshore_call handle, std::string_view text) {
  const auto call = handle == 0 ? nullptr : own_call(handle);
  observe::Fields fields{{"module", options_.name}};
  if (call) {
    fields.push_back({"method", call->method().full_name});
    fields.push_back({"request", call->request_id()});
    fields.push_back({"object", call->object()});
  }
  module_log_.write(observe::level_of(level), text, fields);
}

}  // namespace longshore::loader
