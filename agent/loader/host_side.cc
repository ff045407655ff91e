#include "loader/host_side.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "longshore/context.hpp"

namespace longshore::loader {

using router::Call;
using router::Clock;

namespace {

std::shared_ptr<const router::Caller> caller_of(const InstanceOptions& options) {
  const std::string identity = "module:" + options.name;
  router::Caller caller{identity, identity,
                        options.may_call
                            ? options.may_call
                            : std::make_shared<const std::set<std::string, std::less<>>>()};
  caller.module = options.name;
  caller.flow = std::hash<std::string>()(identity);
  return std::make_shared<router::Caller>(std::move(caller));
}

}  // namespace

HostSide::HostSide(Parts parts, ModuleCode& code)
    : parts_(parts),
      code_(code),
      table_(code.take_host_table(parts.options.name)),
      caller_(caller_of(parts.options)),
      log_(parts.log),
      states_log_(parts.log, &observe::RateLimitedLog::Clock::now, observe::RateLimitedLog::kFew) {}

HostSide::~HostSide() {
  table_->disconnect();
  if (is_table_free_) code_.give_back_host_table(table_);
}

void HostSide::connect(const std::shared_ptr<HostSide>& self,
                       std::vector<const router::Target*> targets) {
  self_ = self;
  targets_ = std::move(targets);
  table_->connect(self);
}

std::shared_ptr<Call> HostSide::own_call(longshore_call handle) const {
  auto call = parts_.router.calls().find(handle);
  const bool own = call && std::any_of(targets_.begin(), targets_.end(), [&](const auto* target) {
                     return call->belongs_to(*target);
                   });
  return own ? call : nullptr;
}

void HostSide::violated(std::string_view function, std::string_view what) {
  violations_.add(log_, parts_.options.name, function, what);
  if (parts_.options.on_violation)
    parts_.options.on_violation(violations_.count(), violations_.last());
}

void HostSide::used_stale(std::string_view function, longshore_call handle, bool may_be_over) {
  if (parts_.router.calls().find(handle))
    return violated(function, "the call is not this module's");
  if (!parts_.router.calls().had(handle)) return violated(function, "there has been no such call");
  if (!may_be_over) violated(function, "the call is finished already");
}

longshore_result HostSide::refused_after_stop(std::string_view function) {
  violated(function, "the instance is stopped");
  return LONGSHORE_REFUSED;
}

longshore_result HostSide::invoke(const longshore_invoke_request& request,
                                  longshore_invocation* handle) {
  std::shared_ptr<Call> parent;
  if (request.parent != 0) {
    parent = own_call(request.parent);
    if (!parent) {
      used_stale("invoke", request.parent, false);
      return LONGSHORE_STALE;
    }
  }
  std::string revoked;
  const std::shared_ptr<Invocation> invocation = begin_invocation(request, handle, revoked);
  if (!invocation) return refused_after_stop("invoke");
  if (!revoked.empty()) {
    invocation->on_finish(StatusCode::kUnavailable, revoked);
    return LONGSHORE_OK;
  }
  router::CallRequest call;
  call.method = {static_cast<const char*>(request.method.data),
                 static_cast<size_t>(request.method.size)};
  call.request = router::request_copy(to_view(request.request));
  call.caller = parent ? caller_for(*parent) : caller_;
  if (request.timeout_ns > 0) call.timeout = std::chrono::nanoseconds(request.timeout_ns);
  call.parent = std::move(parent);
  call.observer = invocation;
  invocation->set_call(parts_.router.call(std::move(call)));
  return LONGSHORE_OK;
}

std::shared_ptr<const router::Caller> HostSide::caller_for(const Call& parent) {
  const router::Caller& origin = parent.caller();
  const std::lock_guard lock(mutex_);
  if (!nested_caller_ || nested_caller_->flow != origin.flow ||
      nested_caller_->on_behalf_of != origin.on_behalf_of) {
    auto caller = std::make_shared<router::Caller>(*caller_);
    caller->on_behalf_of = origin.on_behalf_of;
    caller->flow = origin.flow;  // nobody gains turns by way of a module
    nested_caller_ = std::move(caller);
  }
  return nested_caller_;
}

// Under one lock with the check, so that an ending instance sees all that it has to wait for.
std::shared_ptr<Invocation> HostSide::begin_invocation(const longshore_invoke_request& request,
                                                       longshore_invocation* handle,
                                                       std::string& revoked) {
  const std::lock_guard lock(mutex_);
  if (closed_) return nullptr;
  revoked = revoked_;
  auto invocation = std::make_shared<Invocation>(self_.lock(), request);
  *handle = invocations_.insert(invocation);
  invocation->set_handle(*handle);
  return invocation;
}

// One that is over may be on its way to the module's on_finish right now: that is no fault.
std::shared_ptr<Invocation> HostSide::find_invocation(std::string_view function,
                                                      longshore_invocation handle) {
  auto invocation = invocations_.find(handle);
  if (!invocation && !invocations_.had(handle)) {
    violated(function, "there has been no such invocation");
  }
  return invocation;
}

longshore_result HostSide::cancel_invocation(longshore_invocation handle) {
  const auto invocation = find_invocation("cancel", handle);
  if (!invocation) return LONGSHORE_STALE;
  invocation->cancel();
  return LONGSHORE_OK;
}

longshore_result HostSide::grant(longshore_invocation handle, uint32_t messages) {
  const auto invocation = find_invocation("grant", handle);
  if (!invocation) return LONGSHORE_STALE;
  invocation->grant(messages);
  return LONGSHORE_OK;
}

void HostSide::invocation_ended(longshore_invocation handle) {
  invocations_.remove(handle);
  const std::lock_guard lock(mutex_);
  changed_.notify_all();
}

longshore_result HostSide::post(int64_t delay_ns, PostedFunction::Function function, void* user,
                                longshore_timer* timer) {
  const auto posted = std::make_shared<PostedFunction>(self_.lock(), function, user);
  {
    const std::lock_guard lock(mutex_);
    if (closed_) return refused_after_stop("post");
    posted->set_handle(posts_.insert(posted));
  }
  if (timer) *timer = posted->handle();
  if (delay_ns == 0) {
    parts_.pool.post(posted);
  } else {
    // A delay that the clock cannot count is as good as a year.
    const auto delay = std::min<std::chrono::nanoseconds>(std::chrono::nanoseconds(delay_ns),
                                                          std::chrono::hours(24 * 365));
    parts_.router.timers().arm(*posted, Clock::now() + delay);
  }
  return LONGSHORE_OK;
}

longshore_result HostSide::cancel_timer(longshore_timer timer) {
  const auto posted = posts_.find(timer);
  if (!posted && !posts_.had(timer)) violated("cancel_timer", "there has been no such timer");
  if (!posted || !posted->forgo()) return LONGSHORE_STALE;
  parts_.router.timers().disarm(*posted);
  post_ended(*posted);
  return LONGSHORE_OK;
}

void HostSide::post_is_due(const std::shared_ptr<PostedFunction>& posted) {
  parts_.pool.post(posted);
}

void HostSide::post_ended(const PostedFunction& posted) {
  posts_.remove(posted.handle());
  const std::lock_guard lock(mutex_);
  changed_.notify_all();
}

longshore_result HostSide::set_degraded(std::string_view reason) {
  constexpr size_t kMostBytes = 1024;
  std::string text(reason.substr(0, kMostBytes));
  {
    const std::lock_guard lock(mutex_);
    if (closed_) return refused_after_stop("set_degraded");
    if (degraded_ == text) return LONGSHORE_OK;
    degraded_ = text;
  }
  if (parts_.options.on_degraded) parts_.options.on_degraded(text);
  if (parts_.options.write_log) return LONGSHORE_OK;
  if (text.empty()) {
    states_log_.write(observe::Level::kInfo, "the module is well again",
                      {{"module", parts_.options.name}});
  } else {
    states_log_.write(observe::Level::kWarning, "the module is degraded",
                      {{"module", parts_.options.name}, {"reason", text}});
  }
  return LONGSHORE_OK;
}

std::string HostSide::degraded() const {
  const std::lock_guard lock(mutex_);
  return degraded_;
}

longshore_result HostSide::set_bulkhead(longshore_call handle, std::string_view key) {
  const auto call = own_call(handle);
  if (!call) {
    used_stale("set_bulkhead", handle, true);
    return LONGSHORE_STALE;
  }
  constexpr size_t kMostBytes = 512;  // kept as long as the call, and shown
  if (key.size() > kMostBytes) {
    violated("set_bulkhead", "the key is longer than 512 bytes");
    key = key.substr(0, kMostBytes);
  }
  const auto [entry, others_may_run] = parts_.admission.set_bulkhead(*call, key);
  if (others_may_run) parts_.start_waiting_calls();
  switch (entry) {
    case Admission::Entry::kEntered:
      return LONGSHORE_OK;
    case Admission::Entry::kRefused:
      break;
    case Admission::Entry::kIsCrowded: {
      const Error error = parts_.admission.crowded(*call, key);
      call->end_early(error.code(), error.message());
      break;
    }
    case Admission::Entry::kWaits:
      call->give_back();
      break;
  }
  return LONGSHORE_REFUSED;
}

void HostSide::set_waiting(longshore_call handle, std::string_view bulkhead) {
  const auto call = own_call(handle);
  if (!call) return;
  if (bulkhead.empty()) return parts_.admission.take_place_again(*call);
  parts_.admission.give_up_place(*call, bulkhead);
  parts_.start_waiting_calls();
}

void HostSide::write_log(longshore_log_level level, longshore_call handle, std::string_view text) {
  const auto call = handle == 0 ? nullptr : own_call(handle);
  if (parts_.options.write_log)
    return parts_.options.write_log(level, call ? call->origin() : 0, text);
  observe::Fields fields{{"module", parts_.options.name}};
  if (call) {
    if (level >= LONGSHORE_LOG_WARNING) call->warn(text);
    fields.push_back({"method", call->method().full_name});
    fields.push_back({"request", call->request_id()});
    fields.push_back({"object", call->object()});
  }
  log_.write(observe::level_of(level), text, fields);
}

void HostSide::notify(std::shared_ptr<router::Work> completion) {
  if (InFlightGuard::is_inside(parts_.gate)) {
    completion->run();
  } else {
    parts_.notifications.post(std::move(completion));
  }
}

bool HostSide::end(Clock::duration time) {
  close();
  for (const auto& posted : posts_.all()) {
    parts_.router.timers().disarm(*posted);
    parts_.notifications.post([posted] { posted->run_with(LONGSHORE_CANCELLED); });
  }
  for (const auto& invocation : invocations_.all()) invocation->cancel();
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, time,
                           [&] { return posts_.size() == 0 && invocations_.size() == 0; });
}

void HostSide::revoke_calls(const std::string& reason) {
  {
    const std::lock_guard lock(mutex_);
    revoked_ = reason;
  }
  for (const auto& invocation : invocations_.all()) invocation->revoke(reason);
}

void HostSide::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
}

}  // namespace longshore::loader
