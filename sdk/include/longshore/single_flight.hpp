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
#include <utility>

#include "longshore/deadline.hpp"
#include "longshore/result.hpp"

namespace longshore {

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

namespace detail {

inline bool ended_by_deadline(const Result<void>& result) {
  return !result && (result.error().code() == StatusCode::kCancelled ||
                     result.error().code() == StatusCode::kDeadlineExceeded);
}

}  // namespace detail

// Frees the object and wakes who waits, also when the mutation throws.
class SingleFlight::Ending {
 public:
  Ending(SingleFlight& mutations, const std::string& object, Running& running)
      : single_flight_(mutations), object_(object), running_(running) {}
  Ending(const Ending&) = delete;
  Ending& operator=(const Ending&) = delete;
  ~Ending() {
    const std::lock_guard lock(single_flight_.mutex_);
    running_.result = std::move(result_);
    single_flight_.running_.erase(object_);
    single_flight_.ended_.notify_all();
  }

  void set(const Result<void>& result) { result_ = result; }

 private:
  SingleFlight& single_flight_;
  const std::string& object_;
  Running& running_;
  Result<void> result_{Error(StatusCode::kInternal, running_.operation)
                           .because("the request \"" + running_.request_id +
                                    "\", which did it, failed without a result")};
};

inline Error SingleFlight::refused(const std::string& object, const std::string& operation,
                                   const Running& running) {
  return Error(StatusCode::kAborted, operation)
      .because("the request \"" + running.request_id + "\" is at work on " + object + ": " +
               running.operation)
      .advise("repeat the call when that has ended");
}

inline Result<void> SingleFlight::run(const std::string& object, const std::string& operation,
                                      const std::string& request_id, const Deadline& deadline,
                                      const std::function<Result<void>()>& mutate) {
  std::unique_lock lock(mutex_);
  for (auto found = running_.find(object); found != running_.end(); found = running_.find(object)) {
    const std::shared_ptr<const Running> running = found->second;
    if (running->operation != operation) {
      return refused(object, operation, *running);
    }
    if (std::optional<Error> exceeded = await(lock, *running, deadline)) {
      return *std::move(exceeded);
    }
    if (!detail::ended_by_deadline(*running->result)) return *running->result;
  }
  return begin(lock, object, operation, request_id, mutate);
}

inline Result<void> SingleFlight::run_in_turn(const std::string& object,
                                              const std::string& operation,
                                              const std::string& request_id,
                                              const Deadline& deadline,
                                              std::chrono::milliseconds patience,
                                              const std::function<Result<void>()>& mutate) {
  const Deadline turn = deadline.within(patience);
  std::unique_lock lock(mutex_);
  for (auto found = running_.find(object); found != running_.end(); found = running_.find(object)) {
    const std::shared_ptr<const Running> running = found->second;
    if (!await(lock, *running, turn)) continue;
    lock.unlock();  // `cancelled` is foreign code
    if (std::optional<Error> exceeded = deadline.exceeded(operation, {})) {
      return *std::move(exceeded);
    }
    return refused(object, operation, *running);
  }
  return begin(lock, object, operation, request_id, mutate);
}

inline Result<void> SingleFlight::begin(std::unique_lock<std::mutex>& lock,
                                        const std::string& object, const std::string& operation,
                                        const std::string& request_id,
                                        const std::function<Result<void>()>& mutate) {
  const auto running = std::make_shared<Running>(Running{operation, request_id, std::nullopt});
  running_.emplace(object, running);
  lock.unlock();
  Ending ending(*this, object, *running);
  Result<void> result = mutate();
  ending.set(result);
  return result;
}

inline std::optional<Error> SingleFlight::await(std::unique_lock<std::mutex>& lock,
                                                const Running& running, const Deadline& deadline) {
  return deadline.await(ended_, lock, running.operation,
                        [&] { return running.result.has_value(); });
}

}  // namespace longshore
