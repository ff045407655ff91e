// Lets one mutation at a time act on an object.
//
// A caller that asks for what is running already waits for it and gets its result: repeating a call
// that was not answered is how its users recover. A caller that asks for something else is refused
// with ABORTED, which names the request that runs.
//
// A mutation, once begun, runs to its end, on the thread that asked first. A deadline frees those
// who wait for it, never the object. One that ended because of its own request's deadline
// (CANCELLED, DEADLINE_EXCEEDED) says nothing to others: one of those who waited begins it anew.
//
// A mutation may begin another on another object, as long as no two do so the other way round.
//
// Threads: any number at once. Owner: outlives every run().
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include "longshore/result.hpp"
#include "support/deadline.h"

namespace longshore::support {

class SingleFlight {
 public:
  // `object` is what must not meet ("disk 3"); `operation` completes "cannot ..." and tells with
  // all its arguments what is to be done, so that equal texts mean the same effect. What `mutate`
  // throws reaches the caller whose thread ran it; those who waited get INTERNAL.
  Result<void> run(const std::string& object, const std::string& operation,
                   const std::string& request_id, const Deadline& deadline,
                   const std::function<Result<void>()>& mutate);

  // As run(), but joins nothing: waits until nobody acts on the object, at most for `patience`, and
  // is refused with ABORTED then. For mutations of which two are never known to be the same.
  Result<void> run_in_turn(const std::string& object, const std::string& operation,
                           const std::string& request_id, const Deadline& deadline,
                           std::chrono::milliseconds patience,
                           const std::function<Result<void>()>& mutate);

 private:
  // Owner: those who run it or wait for it.
  struct Running {
    std::string operation;
    std::string request_id;
    std::optional<Result<void>> result;  // set once, at the end
  };

  class Ending;

  static Error refused(const std::string& object, const std::string& operation,
                       const Running& running);

  // `lock` is held, and nobody acts on the object.
  Result<void> begin(std::unique_lock<std::mutex>& lock, const std::string& object,
                     const std::string& operation, const std::string& request_id,
                     const std::function<Result<void>()>& mutate);

  // Waits until it has ended; tells why not, if the waiter's own deadline is over before.
  std::optional<Error> await(std::unique_lock<std::mutex>& lock, const Running& running,
                             const Deadline& deadline);

  std::mutex mutex_;
  std::condition_variable ended_;
  std::unordered_map<std::string, std::shared_ptr<Running>> running_;
};

}  // namespace longshore::support
