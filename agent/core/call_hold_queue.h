// Where the calls of a module wait while its only instance is replaced by another.
//
//   closed: takes calls in ──open──► they go on in their order, then new ones go past it
//
// A call that waits keeps its deadline and can be cancelled. One that a call of the old instance
// waits for, through other modules, goes past the queue to the old one, which could not end else.
// Threads: any. Owner: the routes that lead here, and the calls that wait.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "router/call.h"
#include "router/target.h"

namespace longshore::core {

class CallHoldQueue final : public router::Target {
 public:
  CallHoldQueue(std::string module, size_t capacity, std::shared_ptr<router::Target> old_instance)
      : module_(std::move(module)), capacity_(capacity), old_instance_(std::move(old_instance)) {}

  Result<void> submit(std::shared_ptr<router::Call> call) override;
  void execute(router::Call&) override {}
  void on_end(router::Call& call) override;
  bool has_moved() const override;

  // Sends all calls to `next`, in the order in which they came. When none is left, and before
  // another can come, `switch_routes` leads the routes elsewhere.
  void open(const std::shared_ptr<router::Target>& next,
            const std::function<void()>& switch_routes);

 private:
  // The first that waits; null when there is none, and the routes are switched.
  std::shared_ptr<router::Call> next_call(const std::function<void()>& switch_routes);

  const std::string module_;
  const size_t capacity_;
  const std::shared_ptr<router::Target> old_instance_;
  mutable std::mutex mutex_;
  std::deque<std::shared_ptr<router::Call>> waiting_;
  bool is_open_ = false;
};

}  // namespace longshore::core
