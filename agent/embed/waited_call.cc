#include "embed/waited_call.h"

#include <utility>

namespace longshore::embed {

Outcome WaitedCall::wait() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return ended_ || work_; });
    if (ended_) break;
    const std::shared_ptr<router::Work> work = std::move(work_);
    lock.unlock();
    work->run();
    lock.lock();
  }
  left_ = true;
  work_.reset();  // its deadline was first; the call looks after itself
  return std::move(outcome_);
}

void WaitedCall::run_soon(std::shared_ptr<router::Work> work, router::WorkerPool& pool) {
  {
    const std::lock_guard lock(mutex_);
    if (!left_) {
      work_ = std::move(work);
      changed_.notify_one();
      return;
    }
  }
  pool.post(std::move(work));
}

bool WaitedCall::on_message(std::string) { return true; }

void WaitedCall::on_response(std::string message) {
  tell({StatusCode::kOk, {}, std::move(message)});
}

void WaitedCall::on_finish(StatusCode code, std::string text) { tell({code, std::move(text), {}}); }

void WaitedCall::tell(Outcome outcome) {
  const std::lock_guard lock(mutex_);
  outcome_ = std::move(outcome);
  ended_ = true;
  changed_.notify_one();
}

}  // namespace longshore::embed
