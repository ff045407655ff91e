#include "rpc/answer_inbox.h"

#include <boost/asio/post.hpp>

namespace longshore::rpc {

void AnswerInbox::put(Answer answer) {
  std::unique_lock lock(mutex_);
  if (closed_) return;
  items_.push_back(std::move(answer));
  if (items_.size() > 1) return;  // the first one has posted already
  waiting_.store(true, std::memory_order_release);
  // Under the lock: once close() is through, nothing touches the executor any more.
  boost::asio::post(executor_, [self = shared_from_this()] {
    const auto receiver = self->receiver_.lock();
    if (receiver) receiver->on_answers();
  });
}

bool AnswerInbox::take(std::vector<Answer>& answers) {
  if (!waiting_.load(std::memory_order_acquire)) return false;
  const std::lock_guard lock(mutex_);
  waiting_.store(false, std::memory_order_relaxed);
  answers.swap(items_);
  return !answers.empty();
}

void AnswerInbox::close() {
  std::vector<Answer> dropped;  // their destructors may run code of others
  const std::lock_guard lock(mutex_);
  closed_ = true;
  dropped.swap(items_);
}

}  // namespace longshore::rpc
