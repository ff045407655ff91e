// Where the calls of a module wait while its only instance is replaced by another.
//
//   closed: takes calls in ──open──► they go on in their order, then new ones go past it
//
// A call that waits keeps its deadline and can be cancelled. One that a call of the old instance
// waits for, through other modules, goes past the queue to the old one, which could not end else.
// It may be asked to hold as many calls as an instance (loader/instance_options.h), and a call
// leaves it in constant time.
// Threads: any. Owner: the routes that lead here, and the calls that wait.
#pragma once

#include <boost/intrusive/list.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "router/call.h"
#include "router/target.h"

namespace longshore::core {

class CallHoldQueue final : public router::Target {
 public:
  // `most_bytes`: of those callers that have no account for what they hold.
  CallHoldQueue(std::string module, size_t capacity, size_t most_bytes,
                std::shared_ptr<router::Target> old_instance)
      : module_(std::move(module)),
        capacity_(capacity),
        most_bytes_(most_bytes),
        old_instance_(std::move(old_instance)) {}

  Result<void> submit(std::shared_ptr<router::Call> call) override;
  void execute(router::Call&) override {}
  void on_end(router::Call& call) override;
  bool has_moved() const override;

  // Sends all calls to `next`, in the order in which they came. When none is left, and before
  // another can come, `switch_routes` leads the routes elsewhere.
  void open(const std::shared_ptr<router::Target>& next,
            const std::function<void()>& switch_routes);

 private:
  // A call that waits. Owner: the call, as long as it waits here.
  struct Held final : router::TargetRecord, boost::intrusive::list_base_hook<> {
    std::shared_ptr<router::Call> call;
    size_t unaccounted = 0;  // bytes
  };
  std::shared_ptr<router::Call> take_out(const router::Call& call);  // locked
  // The first that waits; null when there is none, and the routes are switched.
  std::shared_ptr<router::Call> next_call(const std::function<void()>& switch_routes);

  const std::string module_;
  const size_t capacity_;
  const size_t most_bytes_;
  const std::shared_ptr<router::Target> old_instance_;
  mutable std::mutex mutex_;
  boost::intrusive::list<Held> waiting_;
  size_t unaccounted_ = 0;
  bool is_open_ = false;
};

}  // namespace longshore::core
