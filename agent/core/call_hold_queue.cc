#include "core/call_hold_queue.h"

#include <utility>

namespace longshore::core {

using router::Call;

Result<void> CallHoldQueue::submit(std::shared_ptr<Call> call) {
  if (call->is_nested_in(*old_instance_) && call->move_to(old_instance_)) return {};
  const std::lock_guard lock(mutex_);
  if (is_open_) return Error::of_text(StatusCode::kUnavailable, "the module is replaced");
  const bool has_account = call->caller().has_account;
  if (waiting_.size() >= capacity_ || (!has_account && unaccounted_ >= most_bytes_)) {
    return Error(StatusCode::kResourceExhausted, "call", call->method().full_name)
        .because("the module " + module_ + " is being replaced and " +
                 std::to_string(waiting_.size()) + " calls wait for that")
        .advise("try again later, or raise max_queued_calls");
  }
  // Its end, if that has come already, has found nothing here.
  if (call->is_over()) return {};
  auto held = std::make_unique<Held>();
  if (!has_account) held->unaccounted = sizeof(Call) + call->request().size();
  unaccounted_ += held->unaccounted;
  waiting_.push_back(*held);
  held->call = call;
  call->target_record() = std::move(held);
  return {};
}

void CallHoldQueue::on_end(Call& call) {
  const std::lock_guard lock(mutex_);
  if (call.target_record()) take_out(call);
}

std::shared_ptr<Call> CallHoldQueue::take_out(const Call& call) {
  const auto record = std::exchange(call.target_record(), nullptr);
  Held& held = static_cast<Held&>(*record);
  waiting_.erase(waiting_.iterator_to(held));
  unaccounted_ -= held.unaccounted;
  return std::move(held.call);
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
  return take_out(*waiting_.front().call);
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
