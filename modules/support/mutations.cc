#include "support/mutations.h"

#include <utility>

namespace longshore::support {
namespace {

bool ended_by_limits(const Result<void>& result) {
  return !result && (result.error().code() == StatusCode::kCancelled ||
                     result.error().code() == StatusCode::kDeadlineExceeded);
}

}  // namespace

// Frees the object and wakes who waits, also when the mutation throws.
class Mutations::Ending {
 public:
  Ending(Mutations& mutations, const std::string& object, Running& running)
      : mutations_(mutations), object_(object), running_(running) {}
  Ending(const Ending&) = delete;
  Ending& operator=(const Ending&) = delete;
  ~Ending() {
    const std::lock_guard lock(mutations_.mutex_);
    running_.result = std::move(result_);
    mutations_.running_.erase(object_);
    mutations_.ended_.notify_all();
  }

  void set(const Result<void>& result) { result_ = result; }

 private:
  Mutations& mutations_;
  const std::string& object_;
  Running& running_;
  Result<void> result_{Error(StatusCode::kInternal, running_.operation)
                           .because("the request \"" + running_.request_id +
                                    "\", which did it, failed without a result")};
};

Error Mutations::refused(const std::string& object, const std::string& operation,
                         const Running& running) {
  return Error(StatusCode::kAborted, operation)
      .because("the request \"" + running.request_id + "\" is at work on " + object + ": " +
               running.operation)
      .advise("repeat the call when that has ended");
}

Result<void> Mutations::run(const std::string& object, const std::string& operation,
                            const std::string& request_id, const CallLimits& limits,
                            const std::function<Result<void>()>& mutate) {
  std::unique_lock lock(mutex_);
  for (auto found = running_.find(object); found != running_.end(); found = running_.find(object)) {
    const std::shared_ptr<const Running> running = found->second;
    if (running->operation != operation) {
      return refused(object, operation, *running);
    }
    if (std::optional<Error> exceeded = await(lock, *running, limits)) {
      return *std::move(exceeded);
    }
    if (!ended_by_limits(*running->result)) return *running->result;
  }
  return begin(lock, object, operation, request_id, mutate);
}

Result<void> Mutations::run_in_turn(const std::string& object, const std::string& operation,
                                    const std::string& request_id, const CallLimits& limits,
                                    std::chrono::milliseconds patience,
                                    const std::function<Result<void>()>& mutate) {
  const CallLimits turn = limits.within(patience);
  std::unique_lock lock(mutex_);
  for (auto found = running_.find(object); found != running_.end(); found = running_.find(object)) {
    const std::shared_ptr<const Running> running = found->second;
    if (!await(lock, *running, turn)) continue;
    lock.unlock();  // `cancelled` is foreign code
    if (std::optional<Error> exceeded = limits.exceeded(operation, {})) {
      return *std::move(exceeded);
    }
    return refused(object, operation, *running);
  }
  return begin(lock, object, operation, request_id, mutate);
}

Result<void> Mutations::begin(std::unique_lock<std::mutex>& lock, const std::string& object,
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

std::optional<Error> Mutations::await(std::unique_lock<std::mutex>& lock, const Running& running,
                                      const CallLimits& limits) {
  return limits.await(ended_, lock, running.operation, [&] { return running.result.has_value(); });
}

}  // namespace longshore::support
