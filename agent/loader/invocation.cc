#include "loader/invocation.h"

#include <utility>

#include "loader/host_side.h"

namespace longshore::loader {

Invocation::Invocation(std::shared_ptr<HostSide> side, const longshore_invoke_request& request)
    : side_(std::move(side)),
      user_(request.user),
      on_message_(request.on_message),
      on_finish_(request.on_finish),
      credit_(request.credit) {}

void Invocation::set_call(std::shared_ptr<router::Call> call) {
  bool cancel_now = false;
  std::shared_ptr<router::Call> waiting;
  {
    const std::lock_guard lock(mutex_);
    if (!call) return;
    cancel_now = cancelled_;
    if (!finished_) {
      call_ = call;
      waiting = take_waiting_call();
    }
  }
  if (cancel_now) return call->cancel();
  if (waiting) waiting->resume();
}

void Invocation::grant(uint32_t messages) {
  std::shared_ptr<router::Call> waiting;
  {
    const std::lock_guard lock(mutex_);
    credit_.grant(messages);
    waiting = take_waiting_call();
  }
  deliver();
  if (waiting) waiting->resume();
}

void Invocation::cancel() {
  std::shared_ptr<router::Call> call;
  {
    const std::lock_guard lock(mutex_);
    cancelled_ = true;
    call = call_;
  }
  if (call) call->cancel();
}

void Invocation::revoke(const std::string& reason) {
  on_finish(StatusCode::kUnavailable, reason);
  cancel();
}

bool Invocation::on_message(std::string message) {
  {
    const std::lock_guard lock(mutex_);
    if (outcome_) return true;  // overtaken by the outcome: nobody reads it
    if (!on_message_) return true;
    messages_.push_back(std::move(message));
  }
  deliver();
  const std::lock_guard lock(mutex_);
  return credit_.admits(messages_.empty());
}

void Invocation::on_response(std::string message) {
  on_message(std::move(message));
  on_finish(StatusCode::kOk, {});
}

void Invocation::on_finish(StatusCode code, std::string text) {
  {
    const std::lock_guard lock(mutex_);
    if (outcome_) return;
    if (code != StatusCode::kOk) messages_.clear();
    outcome_ = Outcome{code, std::move(text)};
  }
  deliver();
}

void Invocation::deliver() {
  {
    const std::lock_guard lock(mutex_);
    if (delivering_ || std::exchange(is_scheduled_, true)) return;  // that one goes on
  }
  side_->notify(shared_from_this());
}

void Invocation::run() {
  const auto self = shared_from_this();  // the last delivery takes us out of the table
  std::unique_lock lock(mutex_);
  is_scheduled_ = false;
  if (std::exchange(delivering_, true)) return;
  while (!finished_) {
    if (!messages_.empty() && credit_.left() > 0) {
      const std::string message = std::move(messages_.front());
      messages_.pop_front();
      credit_.take();
      lock.unlock();
      on_message_(user_, handle_, {message.data(), message.size()});
      lock.lock();
    } else if (outcome_ && messages_.empty()) {
      finished_ = true;
      call_.reset();
      lock.unlock();
      on_finish_(user_, handle_, static_cast<int32_t>(outcome_->code),
                 {outcome_->text.data(), outcome_->text.size()});
      side_->invocation_ended(handle_);
      lock.lock();
    } else {
      break;
    }
  }
  delivering_ = false;
  const std::shared_ptr<router::Call> waiting = take_waiting_call();
  lock.unlock();
  if (waiting) waiting->resume();
}

std::shared_ptr<router::Call> Invocation::take_waiting_call() {
  return call_ && credit_.readmits(messages_.empty()) ? call_ : nullptr;
}

}  // namespace longshore::loader
