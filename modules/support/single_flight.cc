#include "support/single_flight.h"

#include <utility>

namespace longshore::support {
namespace {

bool ended_by_deadline(const Result<void>& result) {
  return !result && (result.error().code() == StatusCode::kCancelled ||
                     result.error().code() == StatusCode::kDeadlineExceeded);
}

}  // namespace

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

Error SingleFlight::refused(const std::string& object, const std::string& operation,
                            const Running& running) {
  return Error(StatusCode::kAborted, operation)
      .because("the request \"" + running.request_id + "\" is at work on " + object + ": " +
               running.operation)
      .advise("repeat the call when that has ended");
}

Result<void> SingleFlight::run(const std::string& object, const std::string& operation,
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
    if (!ended_by_deadline(*running->result)) return *running->result;
  }
  return begin(lock, object, operation, request_id, mutate);
}

Result<void> SingleFlight::run_in_turn(const std::string& object, const std::string& operation,
                                       const std::string& request_id, const Deadline& deadline,
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

Result<void> SingleFlight::begin(std::unique_lock<std::mutex>& lock, const std::string& object,
                                 const std::string& operation, const std::string& request_id,
                                 const std::function<Result<void>()>& mutate) {
  const auto running = std::make_shared<Running>(Running{operation, request_id, std::nullopt});
  running_.emplace(object, running);
  lock.unlock();
  Ending ending(*this, object, *running);
  Result<void> result = mutate();
  ending.set(result);
  return result;
}

std::optional<Error> SingleFlight::await(std::unique_lock<std::mutex>& lock, const Running& running,
                                         const Deadline& deadline) {
  return deadline.await(ended_, lock, running.operation,
                        [&] { return running.result.has_value(); });
}

}  // namespace longshore::support
