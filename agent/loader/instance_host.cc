// What a module asks of the agent, as far as it is an instance's own: see host_table.cc.
#include <algorithm>
#include <utility>

#include "loader/instance.h"
#include "longshore/context.hpp"

namespace longshore::loader {

using router::Call;
using router::Clock;

std::shared_ptr<Call> Instance::own_call(longshore_call handle) const {
  auto call = router_.calls().find(handle);
  const bool own = call && (call->belongs_to(*this) || call->belongs_to(*control_target_));
  return own ? call : nullptr;
}

bool Instance::take_call(longshore_call handle) {
  return router_.calls().remove(handle) != nullptr;
}

void Instance::violated(std::string_view function, std::string_view what) {
  violations_.add(module_log_, options_.name, function, what);
  if (options_.on_violation) options_.on_violation(violations_.count(), violations_.last());
}

void Instance::used_stale(std::string_view function, longshore_call handle, bool may_be_over) {
  if (router_.calls().find(handle)) return violated(function, "the call is not this module's");
  if (!router_.calls().had(handle)) return violated(function, "there has been no such call");
  if (!may_be_over) violated(function, "the call is finished already");
}

longshore_result Instance::refused_after_stop(std::string_view function) {
  violated(function, "the instance is stopped");
  return LONGSHORE_REFUSED;
}

longshore_result Instance::invoke(const longshore_invoke_request& request,
                                  longshore_invocation* handle) {
  std::shared_ptr<Call> parent;
  if (request.parent != 0) {
    parent = own_call(request.parent);
    if (!parent) {
      used_stale("invoke", request.parent, false);
      return LONGSHORE_STALE;
    }
  }
  std::shared_ptr<Invocation> invocation;
  {
    // Under one lock with the check, so that an ending instance sees all that it has to wait for.
    const std::lock_guard lock(mutex_);
    if (closed_) return refused_after_stop("invoke");
    invocation = std::make_shared<Invocation>(shared_from_this(), request);
    *handle = invocations_.insert(invocation);
    invocation->set_handle(*handle);
  }

  router::CallRequest call;
  call.method = {static_cast<const char*>(request.method.data),
                 static_cast<size_t>(request.method.size)};
  call.request = router::request_copy(to_view(request.request));
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

// One that is over may be on its way to the module's on_finish right now: that is no fault.
std::shared_ptr<Invocation> Instance::find_invocation(std::string_view function,
                                                      longshore_invocation handle) {
  auto invocation = invocations_.find(handle);
  if (!invocation && !invocations_.had(handle)) {
    violated(function, "there has been no such invocation");
  }
  return invocation;
}

longshore_result Instance::cancel_invocation(longshore_invocation handle) {
  const auto invocation = find_invocation("cancel", handle);
  if (!invocation) return LONGSHORE_STALE;
  invocation->cancel();
  return LONGSHORE_OK;
}

longshore_result Instance::grant(longshore_invocation handle, uint32_t messages) {
  const auto invocation = find_invocation("grant", handle);
  if (!invocation) return LONGSHORE_STALE;
  invocation->grant(messages);
  return LONGSHORE_OK;
}

void Instance::invocation_ended(longshore_invocation handle) {
  invocations_.remove(handle);
  const std::lock_guard lock(mutex_);
  changed_.notify_all();
}

longshore_result Instance::post(int64_t delay_ns, PostedFunction::Function function, void* user) {
  auto posted = std::make_shared<PostedFunction>(shared_from_this(), function, user);
  {
    const std::lock_guard lock(mutex_);
    if (closed_) return refused_after_stop("post");
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
  if (options_.write_log) return options_.write_log(level, call ? call->origin() : 0, text);
  observe::Fields fields{{"module", options_.name}};
  if (call) {
    fields.push_back({"method", call->method().full_name});
    fields.push_back({"request", call->request_id()});
    fields.push_back({"object", call->object()});
  }
  module_log_.write(observe::level_of(level), text, fields);
}

}  // namespace longshore::loader
