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
#include "router/call.h"
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
  std::string request;
  std::shared_ptr<const Caller> caller;
  std::optional<std::chrono::nanoseconds> timeout;  // none: the method's own
  std::string request_id;                           // empty: a new one
  bool unary_only = false;                          // refuse methods that stream
  std::shared_ptr<Call> parent;                     // for nested calls
  std::shared_ptr<CallObserver> observer;
  CallRunner* runner = nullptr;  // see Call::runner
  bool counted = false;          // among the calls that came over endpoints
};

// Whether a caller's own request id is fit for logs: up to 64 letters, digits, '-', '_' and '.'.
bool is_request_id(std::string_view text);

struct RouterOptions {
  std::chrono::nanoseconds default_timeout = std::chrono::seconds(30);
  size_t max_message_bytes = 64u << 20;  // of an answer
  bool remembers_calls = true;           // for recent_calls()
};

class Router {
 public:
  Router(Timers& timers, RouterOptions options);

  void set_routes(std::shared_ptr<const RouteTable> routes);
  std::shared_ptr<const RouteTable> routes() const;

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
  // Tells the observer, counts and remembers it, since there is no call that would.
  std::shared_ptr<Call> refuse(CallRequest& request, std::shared_ptr<const Method> method,
                               StatusCode code, std::string text);
  std::string request_id_of(CallRequest& request);
  std::string next_request_id();
  Clock::time_point deadline_of(const CallRequest& request, const Method& method) const;

  Timers& timers_;
  const RouterOptions options_;
  HandleTable<Call> calls_;
  RecentCalls recent_calls_;
  const std::string id_prefix_;
  std::atomic<uint64_t> next_id_{1};
  mutable std::mutex routes_mutex_;
  std::shared_ptr<const RouteTable> routes_;
};

}  // namespace longshore::router
