// The one path of every call: from sockets, from embedders, from modules to each other.
//
//   call() ─ find the route ─ may this caller? ─ deadline ─ Call::submit ─► target
//
// The routes are one immutable table, replaced as a whole when modules come, go or change.
// Threads: any. Owner: the agent.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>

#include "longshore/transparent_hash.hpp"
#include "router/call.h"
#include "router/call_log.h"
#include "router/memory_reserve.h"
#include "router/permissions.h"
#include "router/recent_calls.h"

namespace longshore::router {

struct Route {
  std::shared_ptr<const Method> method;
  std::shared_ptr<Target> target;
};

// There are modules of which nobody knows what they would serve.
struct UnknownModules {
  std::set<std::string, std::less<>> served;  // services of all others
  std::string why;                            // "smb: cannot look at ..."
};

// What the router knows of modules at one moment. Immutable once it is the router's.
struct RouteTable {
  std::unordered_map<std::string, Route, TransparentHash, std::equal_to<>> by_method;  // full names
  std::optional<UnknownModules> unknown = {};
};

struct CallRequest {
  std::string_view method;  // "v1.Filesystem/PathExists"
  std::string request;      // see request_copy
  std::shared_ptr<const Caller> caller;
  std::optional<std::chrono::nanoseconds> timeout;  // none: the method's own
  std::string request_id;                           // empty: a new one
  bool unary_only = false;                          // refuse methods that stream
  std::shared_ptr<Call> parent;                     // for nested calls
  std::shared_ptr<CallObserver> observer;
  CallRunner* runner = nullptr;              // see Call::runner
  uint64_t origin = 0;                       // see Call::origin; a nested call's is its parent's
  std::shared_ptr<const MethodSet> allowed;  // what the endpoint allows the caller; null: all
  bool counted = false;                      // among the calls that came over endpoints
  // When it began, which is when its deadline does; none: now.
  std::optional<Clock::time_point> begun;
};

struct CallDeadline {
  Clock::time_point at;
  bool is_configured;  // and not its caller's
};

// A call that was decided on by its head, before its request came. Owner: who makes the call. It
// ends in Router::call or Router::abandon.
struct Admission {
  std::shared_ptr<const RouteTable> routes;  // that `route` is in
  const Route* route;
  uint64_t version;  // of the routes
  CallDeadline deadline;
};

// Bytes of a request that somebody else holds, so that the call has the only copy in the router,
// and can wipe it.
std::string request_copy(std::string_view bytes);

// Whether a caller's own request id is fit for logs: up to 64 letters, digits, '-', '_' and '.'.
bool is_request_id(std::string_view text);

struct RouterOptions {
  std::chrono::nanoseconds default_timeout = std::chrono::seconds(30);
  size_t max_message_bytes = 64u << 20;  // of an answer
  bool remembers_calls = true;           // for recent_calls()
  observe::Log* log = nullptr;           // told of calls that were not permitted
  AuditLog* audit = nullptr;             // told of calls that may change something
  MemoryReserve* memory = nullptr;       // while it is spent, nothing is begun
};

class Router {
 public:
  Router(Timers& timers, RouterOptions options);
  // Every call has been told its outcome; the timer that told it may still be at its end.
  ~Router() {
    if (options_.audit) options_.audit->settle();  // calls may wait there
    timers_.wait_for_running();
  }
  Router(const Router&) = delete;
  Router& operator=(const Router&) = delete;

  void set_routes(std::shared_ptr<const RouteTable> routes);
  std::shared_ptr<const RouteTable> routes() const;
  // Takes the calls of methods that no route names: any of them, as a stream of messages. Set
  // before the first call.
  void set_fallback(std::shared_ptr<Target> fallback) { fallback_ = std::move(fallback); }

  // Starts a call. Null when it was refused; the observer has then been told why.
  std::shared_ptr<Call> call(CallRequest request);

  // The same in two steps, for a caller whose request is still on its way: `head` has all but the
  // request. None: it was refused, and the observer was told.
  std::optional<Admission> admit(CallRequest& head);
  // Decides anew where the routes, or what the endpoint allows, are others by now (`is_changed`).
  std::shared_ptr<Call> call(const Admission& admission, CallRequest&& request, bool is_changed);
  // The request does not come any more, or nobody wants the answer. The observer is told nothing.
  void abandon(const Admission& admission, CallRequest& request, StatusCode code,
               const std::string& text);

  // A call of the agent's own to a target, past routes and permissions: start, stop.
  std::shared_ptr<Call> call_directly(const std::shared_ptr<Target>& target,
                                      std::shared_ptr<const Method> method, CallRequest request);

  // For the host side of the module ABI.
  HandleTable<Call>& calls() { return calls_; }
  // What became of the last calls of modules; those of the agent's own service are left out.
  const RecentCalls& recent_calls() const { return recent_calls_; }
  Timers& timers() { return timers_; }

 private:
  // Null: nobody serves the method, as far as the caller is concerned.
  static const Route* find_route(const RouteTable& routes, const CallRequest& request);
  // False: refused.
  bool may_begin(CallRequest& request, const Route& route);
  bool has_memory(CallRequest& request, const Route& route);
  std::shared_ptr<Call> begin(const Route& route, CallDeadline deadline, CallRequest& request);
  std::shared_ptr<Call> start(const std::shared_ptr<Target>& target,
                              std::shared_ptr<const Method> method, CallDeadline deadline,
                              CallRequest& request);
  void refuse_unknown(const RouteTable& routes, CallRequest& request);
  // Hands a call to the target that the routes name for it.
  void route(Call& call);
  // Hands the call to its target, or to the one that took that one's place meanwhile.
  void submit(Call& call);
  bool is_audited(const Method& method) const {
    return options_.audit && options_.audit->covers(method);
  }
  // Why the caller may not call the method; empty when it may.
  static std::string objection(const CallRequest& request, const Method& method);
  void log_refusal(const CallRequest& request, const Method& method, const std::string& id,
                   const std::string& text);
  OutcomeRecorder recorder_of(const CallRequest& request, const Method& method);
  // Tells the observer and records it, since there is no call that would.
  std::shared_ptr<Call> refuse(CallRequest& request, std::shared_ptr<const Method> method,
                               StatusCode code, std::string text, bool is_told = true);
  std::string record_refusal(CallRequest& request, const std::shared_ptr<const Method>& method,
                             StatusCode code, const std::string& text, bool is_told);
  std::string request_id_of(CallRequest& request);
  std::string next_request_id();
  // The earliest of what the configuration, the caller and its own call say.
  CallDeadline deadline_of(CallRequest& request, const Method& method) const;

  Timers& timers_;
  const RouterOptions options_;
  std::optional<CallLog> refusals_;
  HandleTable<Call> calls_;
  RecentCalls recent_calls_;
  const std::string id_prefix_;
  std::atomic<uint64_t> next_id_{1};
  std::atomic<uint64_t> routes_version_{0};
  mutable std::mutex routes_mutex_;
  std::shared_ptr<const RouteTable> routes_;
  std::shared_ptr<Target> audit_gate_;  // null: no call is told
  std::shared_ptr<Target> fallback_;    // null: such calls are refused
};

}  // namespace longshore::router
