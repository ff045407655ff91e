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
#include <string>
#include <string_view>
#include <unordered_map>

#include "longshore/transparent_hash.hpp"
#include "observe/rate_limited_log.h"
#include "router/call.h"
#include "router/permissions.h"
#include "router/recent_calls.h"

namespace longshore::router {

struct Route {
  std::shared_ptr<const Method> method;
  std::shared_ptr<Target> target;
};

// By full method name.
using RouteTable = std::unordered_map<std::string, Route, TransparentHash, std::equal_to<>>;

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
};

class Router {
 public:
  Router(Timers& timers, RouterOptions options);
  // Every call has been told its outcome; the timer that told it may still be at its end.
  ~Router() { timers_.wait_for_running(); }
  Router(const Router&) = delete;
  Router& operator=(const Router&) = delete;

  void set_routes(std::shared_ptr<const RouteTable> routes);
  std::shared_ptr<const RouteTable> routes() const;
  // Takes the calls of methods that no route names: any of them, as a stream of messages. Set
  // before the first call.
  void set_fallback(std::shared_ptr<Target> fallback) { fallback_ = std::move(fallback); }

  // Starts a call. Null when it was refused; the observer has then been told why.
  std::shared_ptr<Call> call(CallRequest request);

  // A call of the agent's own to a target, past routes and permissions: start, stop.
  std::shared_ptr<Call> call_directly(const std::shared_ptr<Target>& target,
                                      std::shared_ptr<const Method> method, CallRequest request);

  // For the host side of the module ABI.
  HandleTable<Call>& calls() { return calls_; }
  // What became of the last calls of modules; those of the agent's own service are left out.
  const RecentCalls& recent_calls() const { return recent_calls_; }
  Timers& timers() { return timers_; }

 private:
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
  std::string request_id_of(CallRequest& request);
  std::string next_request_id();
  void set_deadline(const CallRequest& request, const Method& method, Call::Parts& parts) const;

  Timers& timers_;
  const RouterOptions options_;
  std::optional<observe::RateLimitedLog> refusals_;
  HandleTable<Call> calls_;
  RecentCalls recent_calls_;
  const std::string id_prefix_;
  std::atomic<uint64_t> next_id_{1};
  mutable std::mutex routes_mutex_;
  std::shared_ptr<const RouteTable> routes_;
  std::shared_ptr<Target> fallback_;  // null: such calls are refused
};

}  // namespace longshore::router
