#include "router/router.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <random>
#include <utility>

#include "longshore/secret.hpp"
#include "router/audit_gate.h"
#include "router/later.h"
#include "rpc/bad_alloc_scope.h"

namespace longshore::router {
namespace {

// As much of a name that nobody serves as is told and remembered.
constexpr size_t kMaxUnknownMethodBytes = 256;

bool may_call(const Caller& caller, const std::string& method, const std::string& service) {
  return caller.may_call->contains(method) || caller.may_call->contains(service);
}

std::string service_of(const std::string& method) { return method.substr(0, method.find('/')); }

Error not_known(const std::string& method) {
  return Error::of_text(StatusCode::kUnimplemented,
                        "no enabled module serves the method " + method);
}

// Why nobody serves the method, for whoever may call it.
Error not_served(const RouteTable& routes, const std::string& method) {
  const auto& unknown = routes.unknown;
  if (!unknown || unknown->served.contains(service_of(method))) return not_known(method);
  return Error::of_text(StatusCode::kUnavailable, "no module that runs serves the method " +
                                                      method + "; not running: " + unknown->why);
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
  if (options_.log) refusals_.emplace(*options_.log, timers_, std::string_view());
  if (options_.audit) {
    audit_gate_ = std::make_shared<AuditGate>(
        *options_.audit, [this](Call& call) { route(call); },
        [this](const Call& call) {
          const std::shared_ptr<const RouteTable> routes = this->routes();
          const auto route = routes->by_method.find(call.method().full_name);
          if (route != routes->by_method.end()) route->second.target->on_refused(call);
        });
  }
}

void Router::set_routes(std::shared_ptr<const RouteTable> routes) {
  const std::lock_guard lock(routes_mutex_);
  ++routes_version_;
  routes_.swap(routes);  // the old table is freed by the caller's copy, outside of the lock
}

std::shared_ptr<const RouteTable> Router::routes() const {
  const std::lock_guard lock(routes_mutex_);
  return routes_;
}

const Route* Router::find_route(const RouteTable& routes, const CallRequest& request) {
  const auto route = routes.by_method.find(request.method);
  if (route == routes.by_method.end()) return nullptr;
  const bool is_visible = !route->second.method->for_modules_only || request.caller->may_call;
  return is_visible ? &route->second : nullptr;
}

std::shared_ptr<Call> Router::call(CallRequest request) {
  const std::shared_ptr<const RouteTable> routes = this->routes();
  const Route* const route = find_route(*routes, request);
  if (!route && fallback_) {
    auto unknown = std::make_shared<Method>();
    unknown->full_name = request.method;
    unknown->server_streaming = true;
    unknown->request_has_secrets = true;                 // as far as is known here
    unknown->timeout = std::chrono::nanoseconds::max();  // who takes it knows its own
    return call_directly(fallback_, std::move(unknown), std::move(request));
  }
  if (!route) {
    refuse_unknown(*routes, request);
    return nullptr;
  }
  if (request.counted && route->method->metrics) route->method->metrics->started();
  if (!may_begin(request, *route)) return nullptr;
  return begin(*route, deadline_of(request, *route->method), request);
}

std::optional<Admission> Router::admit(CallRequest& head) {
  const uint64_t version = routes_version_.load();
  std::shared_ptr<const RouteTable> routes = this->routes();
  const Route* const route = find_route(*routes, head);
  if (!route) {
    refuse_unknown(*routes, head);
    return std::nullopt;
  }
  if (head.counted && route->method->metrics) route->method->metrics->started();
  if (!may_begin(head, *route)) return std::nullopt;
  return Admission{std::move(routes), route, version, deadline_of(head, *route->method)};
}

std::shared_ptr<Call> Router::call(const Admission& admission, CallRequest&& request,
                                   bool is_changed) {
  if (!is_changed && admission.version == routes_version_.load()) {
    return begin(*admission.route, admission.deadline, request);
  }
  const std::shared_ptr<const RouteTable> routes = this->routes();
  const Route* const route = find_route(*routes, request);
  if (!route) {
    const Error error = not_served(*routes, admission.route->method->full_name);
    return refuse(request, admission.route->method, error.code(), error.message());
  }
  if (!may_begin(request, *route)) return nullptr;
  return begin(*route, deadline_of(request, *route->method), request);
}

void Router::abandon(const Admission& admission, CallRequest& request, StatusCode code,
                     const std::string& text) {
  record_refusal(request, admission.route->method, code, text, false);
  wipe(request.request);
}

void Router::refuse_unknown(const RouteTable& routes, CallRequest& request) {
  auto unknown = std::make_shared<Method>();
  unknown->full_name = request.method.substr(0, kMaxUnknownMethodBytes);
  // What a module may not call anyway is none of its business.
  const Caller& caller = *request.caller;
  const bool may_ask =
      !caller.may_call || may_call(caller, unknown->full_name, service_of(unknown->full_name));
  const Error error =
      may_ask ? not_served(routes, unknown->full_name) : not_known(unknown->full_name);
  refuse(request, std::move(unknown), error.code(), error.message());
}

bool Router::may_begin(CallRequest& request, const Route& route) {
  const Method& method = *route.method;
  if (!has_memory(request, route)) return false;
  if (std::string why = objection(request, method); !why.empty()) {
    refuse(request, route.method, StatusCode::kPermissionDenied, std::move(why));
    return false;
  }
  if (request.unary_only && method.server_streaming) {
    refuse(request, route.method, StatusCode::kInvalidArgument,
           "the method " + method.full_name + " answers with a stream");
    return false;
  }
  return true;
}

bool Router::has_memory(CallRequest& request, const Route& route) {
  if (!options_.memory || options_.memory->is_whole()) return true;
  refuse(request, route.method, StatusCode::kResourceExhausted,
         "the system gives the agent no more memory; try again later", false);
  return false;
}

std::shared_ptr<Call> Router::begin(const Route& route, CallDeadline deadline,
                                    CallRequest& request) {
  // Also where the head came in better times: from here on there is no way back.
  if (!has_memory(request, route)) return nullptr;
  if (deadline.at <= Clock::now()) {  // the timer would find it, but maybe too late
    return refuse(request, route.method, StatusCode::kDeadlineExceeded,
                  "the deadline passed before the call began");
  }
  const auto& target = is_audited(*route.method) ? audit_gate_ : route.target;
  return start(target, route.method, deadline, request);
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
    if (method.for_endpoints_only) {
      return caller.identity + " may not call " + method.full_name +
             "; the agent serves it to endpoints only, whatever may_call names";
    }
    if (may_call(caller, method.full_name, method.service)) return {};
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
  const CallDeadline deadline = deadline_of(request, *method);
  return start(target, std::move(method), deadline, request);
}

std::shared_ptr<Call> Router::start(const std::shared_ptr<Target>& target,
                                    std::shared_ptr<const Method> method, CallDeadline deadline,
                                    CallRequest& request) {
  const rpc::BadAllocScope carried_through(rpc::BadAllocScope::Kind::kIsNotCaught);
  if (request.parent && request.parent->state() != LONGSHORE_OK) {
    return refuse(request, std::move(method), StatusCode::kCancelled,
                  "the call that it belongs to is over");
  }
  Call::Parts parts;
  parts.started = *request.begun;
  parts.deadline = deadline.at;
  parts.deadline_is_configured = deadline.is_configured;
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
  if (!call.submit()) route(call);
}

void Router::route(Call& call) {
  for (bool taken = false; !taken;) {
    const std::shared_ptr<const RouteTable> routes = this->routes();
    const auto route = routes->by_method.find(call.method().full_name);
    if (route == routes->by_method.end()) {
      return call.refuse(not_served(*routes, call.method().full_name));
    }
    taken = call.move_to(route->second.target);
  }
}

CallDeadline Router::deadline_of(CallRequest& request, const Method& method) const {
  if (!request.begun) request.begun = Clock::now();
  const auto own = method.long_running ? std::chrono::nanoseconds::max() : options_.default_timeout;
  const Clock::time_point configured = later(*request.begun, method.timeout.value_or(own));
  Clock::time_point at = configured;
  if (request.timeout) at = std::min(at, later(*request.begun, *request.timeout));
  if (request.parent) at = std::min(at, request.parent->deadline());
  return {.at = at, .is_configured = at == configured};
}

OutcomeRecorder Router::recorder_of(const CallRequest& request, const Method& method) {
  return {.metrics = request.counted ? method.metrics.get() : nullptr,
          .recent = options_.remembers_calls ? &recent_calls_ : nullptr,
          .audit = is_audited(method) ? options_.audit : nullptr};
}

std::shared_ptr<Call> Router::refuse(CallRequest& request, std::shared_ptr<const Method> method,
                                     StatusCode code, std::string text, bool is_told) {
  const std::string id = record_refusal(request, method, code, text, is_told);
  if (code == StatusCode::kPermissionDenied) log_refusal(request, *method, id, text);
  wipe(request.request);  // also of a method that is not known, since it may be one with a secret
  request.observer->on_finish(code, std::move(text));
  return nullptr;
}

// Answers the request id.
std::string Router::record_refusal(CallRequest& request,
                                   const std::shared_ptr<const Method>& method, StatusCode code,
                                   const std::string& text, bool is_told) {
  std::string id = request_id_of(request);
  OutcomeRecorder recorder = recorder_of(request, *method);
  if (!is_told) recorder.audit = nullptr;
  const Clock::time_point now = Clock::now();
  const Clock::time_point begun = request.begun.value_or(now);
  recorder.record({0, method, request.caller, id, request.request, begun, now - begun, code, text},
                  false);
  return id;
}

void Router::log_refusal(const CallRequest& request, const Method& method, const std::string& id,
                         const std::string& text) {
  constexpr auto kLevel = observe::Level::kInfo;
  const Caller& caller = *request.caller;
  if (!refusals_ || !refusals_->admits(kLevel, caller.on_behalf_of, method.full_name)) return;
  refusals_->write(
      kLevel, text,
      {{"module", method.module},
       {"method", method.full_name},
       {"request", id},
       {"caller", caller.on_behalf_of},
       {"process", caller.process ? std::to_string(caller.process) : std::string()},
       {"program", caller.program},
       {"object", object_of(request.request, method).substr(0, Call::kMaxObjectBytes)}});
}

std::string Router::request_id_of(CallRequest& request) {
  if (request.parent) return request.parent->request_id();
  return request.request_id.empty() ? next_request_id() : std::move(request.request_id);
}

std::string Router::next_request_id() {
  return id_prefix_ + base36(next_id_.fetch_add(1, std::memory_order_relaxed));
}

}  // namespace longshore::router
