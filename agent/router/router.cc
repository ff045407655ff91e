#include "router/router.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <random>
#include <utility>

#include "longshore/secret.hpp"

namespace longshore::router {
namespace {

// As much of a name that nobody serves as is told and remembered.
constexpr size_t kMaxUnknownMethodBytes = 256;

bool may_call(const Caller& caller, const Method& method) {
  return caller.may_call->contains(method.full_name) || caller.may_call->contains(method.service);
}

Error not_served(const std::string& method) {
  return Error::of_text(StatusCode::kUnimplemented,
                        "no enabled module serves the method " + method);
}

std::string base36(uint64_t number) {
  char digits[13];
  char* const end = std::to_chars(digits, digits + sizeof(digits), number, 36).ptr;
  return {digits, end};
}

}  // namespace

std::string request_copy(std::string_view bytes) {
  std::string request;
  if (!bytes.empty()) reserve_apart(request, bytes.size());
  request = bytes;
  return request;
}

bool is_request_id(std::string_view text) {
  constexpr size_t kMaxBytes = 64;
  return !text.empty() && text.size() <= kMaxBytes &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) {
           return std::isalnum(c) || c == '-' || c == '_' || c == '.';
         });
}

Router::Router(Timers& timers, RouterOptions options)
    : timers_(timers),
      options_(options),
      calls_(std::random_device()()),
      id_prefix_(base36(std::random_device()()) + '-'),
      routes_(std::make_shared<const RouteTable>()) {
  if (options_.log) refusals_.emplace(*options_.log);
}

void Router::set_routes(std::shared_ptr<const RouteTable> routes) {
  const std::lock_guard lock(routes_mutex_);
  routes_.swap(routes);  // the old table is freed by the caller's copy, outside of the lock
}

std::shared_ptr<const RouteTable> Router::routes() const {
  const std::lock_guard lock(routes_mutex_);
  return routes_;
}

std::shared_ptr<Call> Router::call(CallRequest request) {
  const std::shared_ptr<const RouteTable> routes = this->routes();
  const auto route = routes->find(request.method);
  const bool is_served = route != routes->end() &&
                         (!route->second.method->for_modules_only || request.caller->may_call);
  if (!is_served) {
    auto unknown = std::make_shared<Method>();
    if (fallback_) {
      unknown->full_name = request.method;
      unknown->server_streaming = true;
      unknown->request_has_secrets = true;                 // as far as is known here
      unknown->timeout = std::chrono::nanoseconds::max();  // who takes it knows its own
      return call_directly(fallback_, std::move(unknown), std::move(request));
    }
    unknown->full_name = request.method.substr(0, kMaxUnknownMethodBytes);
    const Error error = not_served(unknown->full_name);
    return refuse(request, std::move(unknown), error.code(), error.message());
  }
  const Method& method = *route->second.method;
  if (request.counted && method.metrics) method.metrics->started();
  const auto refused = [&](StatusCode code, std::string text) {
    return refuse(request, route->second.method, code, std::move(text));
  };
  if (std::string why = objection(request, method); !why.empty()) {
    return refused(StatusCode::kPermissionDenied, std::move(why));
  }
  if (request.unary_only && method.server_streaming) {
    return refused(StatusCode::kInvalidArgument,
                   "the method " + method.full_name + " answers with a stream");
  }
  if (is_audited(method)) {
    if (auto admitted = options_.audit->admits(); !admitted) {
      // Its line would take the place of one that tells what was done.
      return refuse(request, route->second.method, StatusCode::kUnavailable,
                    admitted.error().message(), false);
    }
  }
  return call_directly(route->second.target, route->second.method, std::move(request));
}

std::string Router::objection(const CallRequest& request, const Method& method) {
  if (method.denied) {
    return "the method " + method.full_name + " is denied by deny_methods in the configuration";
  }
  const Caller& caller = *request.caller;
  const auto not_allowed = [&](const std::string& rules) {
    return caller.identity + " may not call " + method.full_name + "; " + rules +
           " in the configuration does not allow it";
  };
  if (request.allowed && !request.allowed->contains(method)) {
    return not_allowed(request.allowed->key);
  }
  if (caller.may_call) {  // a module: its own list counts, not who it calls for
    if (may_call(caller, method)) return {};
    return caller.identity + " may not call " + method.full_name +
           "; its may_call in the configuration does not name it";
  }
  if (method.callers && !(caller.ids && method.callers->contains(*caller.ids))) {
    return not_allowed(method.callers->key);
  }
  return {};
}

std::shared_ptr<Call> Router::call_directly(const std::shared_ptr<Target>& target,
                                            std::shared_ptr<const Method> method,
                                            CallRequest request) {
  if (request.parent && request.parent->state() != LONGSHORE_OK) {
    return refuse(request, std::move(method), StatusCode::kCancelled,
                  "the call that it belongs to is over");
  }
  Call::Parts parts;
  set_deadline(request, *method, parts);
  parts.method = std::move(method);
  parts.request = std::move(request.request);
  parts.caller = std::move(request.caller);
  parts.request_id = request_id_of(request);
  parts.observer = request.observer;
  parts.target = target;
  parts.max_message_bytes = options_.max_message_bytes;
  parts.runner = request.runner;
  parts.parent = request.parent;
  parts.origin = request.parent ? request.parent->origin() : request.origin;
  parts.recorder = recorder_of(request, *parts.method);
  if (parts.method->module.empty()) parts.recorder.recent = nullptr;
  auto call = std::make_shared<Call>(std::move(parts), calls_, timers_);
  submit(*call);
  // Only now: a cancellation before the call is in its target's hands would find half of it.
  if (request.parent && !request.parent->adopt(call)) call->cancel();
  return call;
}

void Router::submit(Call& call) {
  bool taken = call.submit();
  while (!taken) {
    const std::shared_ptr<const RouteTable> routes = this->routes();
    const auto route = routes->find(call.method().full_name);
    if (route == routes->end()) return call.refuse(not_served(call.method().full_name));
    taken = call.move_to(route->second.target);
  }
}

void Router::set_deadline(const CallRequest& request, const Method& method,
                          Call::Parts& parts) const {
  const auto now = Clock::now();
  const auto after = [&](std::chrono::nanoseconds time) {
    // A client may ask for centuries; the clock cannot count that far.
    return time < Clock::time_point::max() - now ? now + time : Clock::time_point::max();
  };
  const auto own = method.long_running ? std::chrono::nanoseconds::max() : options_.default_timeout;
  const auto configured = after(method.timeout.value_or(own));
  parts.deadline = configured;
  if (request.timeout) parts.deadline = std::min(parts.deadline, after(*request.timeout));
  if (request.parent) parts.deadline = std::min(parts.deadline, request.parent->deadline());
  parts.deadline_is_configured = parts.deadline == configured;
}

OutcomeRecorder Router::recorder_of(const CallRequest& request, const Method& method) {
  return {.metrics = request.counted ? method.metrics.get() : nullptr,
          .recent = options_.remembers_calls ? &recent_calls_ : nullptr,
          .audit = is_audited(method) ? options_.audit : nullptr};
}

std::shared_ptr<Call> Router::refuse(CallRequest& request, std::shared_ptr<const Method> method,
                                     StatusCode code, std::string text, bool is_told) {
  const std::string id = request_id_of(request);
  OutcomeRecorder recorder = recorder_of(request, *method);
  if (!is_told) recorder.audit = nullptr;
  recorder.record({0, method, request.caller, id, request.request, Clock::now(), {}, code, text},
                  false);
  if (code == StatusCode::kPermissionDenied) log_refusal(request, *method, id, text);
  wipe(request.request);  // also of a method that is not known, since it may be one with a secret
  request.observer->on_finish(code, std::move(text));
  return nullptr;
}

void Router::log_refusal(const CallRequest& request, const Method& method, const std::string& id,
                         const std::string& text) {
  if (!refusals_ || !options_.log->enabled(observe::Level::kInfo)) return;
  refusals_->write(observe::Level::kInfo, text,
                   {{"module", method.module},
                    {"method", method.full_name},
                    {"request", id},
                    {"caller", request.caller->on_behalf_of},
                    {"process", request.caller->process ? std::to_string(request.caller->process)
                                                        : std::string()},
                    {"object", object_of(request.request, method)}});
}

std::string Router::request_id_of(CallRequest& request) {
  if (request.parent) return request.parent->request_id();
  return request.request_id.empty() ? next_request_id() : std::move(request.request_id);
}

std::string Router::next_request_id() {
  return id_prefix_ + base36(next_id_.fetch_add(1, std::memory_order_relaxed));
}

}  // namespace longshore::router
