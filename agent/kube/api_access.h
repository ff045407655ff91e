// An API server as those see it who ask it: a client, or what a test has in its place.
//
// Threads: the context's.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>

#include "kube/api_error.h"
#include "kube/request.h"
#include "kube/watch_event.h"

namespace longshore::kube {

// A request that was made. Who lets go of it does not cancel it.
class Call {
 public:
  virtual ~Call() = default;
  // It ends with CANCELLED, unless it has ended. What the server was asked for may be done.
  virtual void cancel() = 0;
};

// A GET whose answer comes in events, for as long as the server likes.
struct Watch {
  Request request;                             // its deadline is the answer's beginning
  std::chrono::milliseconds idle_limit{};      // the longest time from there on without an event
  size_t max_line_bytes = 4u << 20;            // of an event
  std::function<void()> on_begin = [] {};      // the server has accepted it
  std::function<void(WatchEvent)> on_event;    // may cancel the watch, and is not called again then
  std::function<void(const Outcome&)> on_end;  // once, later; without an error the server ended it
};

class ApiAccess {
 public:
  virtual ~ApiAccess() = default;
  // `on_done` is called once, later.
  virtual std::shared_ptr<Call> request(Request request, std::function<void(Outcome)> on_done) = 0;
  virtual std::shared_ptr<Call> watch(Watch watch) = 0;
};

}  // namespace longshore::kube
