// Calls of a module's own, outside of any call, that a thread waits for: what handles a key of a
// work queue makes one after the other.
//
// Threads: any of the instance's pool, but not those that completions run on. Owner: the module,
// whose threads wait here; it stops them before it waits for those threads, as for the work queue.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "longshore/client.hpp"
#include "longshore/result.hpp"

namespace longshore {

class AwaitedCalls {
 public:
  // `host` is Module::host().
  explicit AwaitedCalls(const longshore_host* host) : client_(host) {}

  // Answers the response, or the error of who was called, also that the agent does not allow it.
  // Without a timeout the method's own counts. CANCELLED once this was stopped.
  template <typename Response, typename Request>
  Result<Response> call(const std::string& method, const Request& request,
                        std::optional<std::chrono::nanoseconds> timeout = {}) {
    Response response;
    std::optional<Result<void>> end;
    // As a stream it can be cancelled.
    Subscription call = client_.stream<Response>(
        method, request, {.timeout = timeout, .credit = 1},
        [&](const Response& message) { response = message; },
        [&](const Result<void>& outcome) {
          const std::lock_guard lock(mutex_);
          end = outcome;
          changed_.notify_all();
        });
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return end || is_stopped_; });
      if (end && !*end) return end->error();
      if (end) return response;
    }
    call.cancel();  // before what it writes to is gone
    return Error(StatusCode::kCancelled, "call", method).because("the controller is being stopped");
  }

  bool is_stopped() {
    const std::lock_guard lock(mutex_);
    return is_stopped_;
  }

  // Ends those that wait, and those to come.
  void stop() {
    const std::lock_guard lock(mutex_);
    is_stopped_ = true;
    changed_.notify_all();
  }

 private:
  const Client client_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_stopped_ = false;
};

}  // namespace longshore
