#include "core/call_hold_queue.h"

#include <algorithm>
#include <utility>

namespace longshore::core {

using router::Call;

Result<void> CallHoldQueue::submit(std::shared_ptr<Call> call) {
  if (call->is_nested_in(*old_instance_) && call->move_to(old_instance_)) return {};
  const std::lock_guard lock(mutex_);
  if (is_open_) return Error::of_text(StatusCode::kUnavailable, "the module is replaced");
  if (waiting_.size() >= capacity_) {
    return Error(StatusCode::kResourceExhausted, "call", call->method().full_name)
        .because("the module " + module_ + " is being replaced and " +
                 std::to_string(waiting_.size()) + " calls wait for that")
        .advise("try again later, or raise max_queued_calls");
  }
  waiting_.push_back(std::move(call));
  return {};
}

void CallHoldQueue::on_end(Call& call) {
  const std::lock_guard lock(mutex_);
  std::erase_if(waiting_, [&](const auto& each) { return each.get() == &call; });
}

bool CallHoldQueue::has_moved() const {
  const std::lock_guard lock(mutex_);
  return is_open_;
}

std::shared_ptr<Call> CallHoldQueue::next_call(const std::function<void()>& switch_routes) {
  const std::lock_guard lock(mutex_);
  if (waiting_.empty()) {
    switch_routes();
    is_open_ = true;
    return nullptr;
  }
  std::shared_ptr<Call> call = std::move(waiting_.front());
  waiting_.pop_front();
  return call;
}

void CallHoldQueue::open(const std::shared_ptr<router::Target>& next,
                         const std::function<void()>& switch_routes) {
  while (const std::shared_ptr<Call> call = next_call(switch_routes)) {
    if (call->move_to(next)) continue;
    call->refuse(Error::of_text(StatusCode::kUnavailable,
                                "the module " + module_ + " is replaced once more; try again"));
  }
}

}  // namespace longshore::core
