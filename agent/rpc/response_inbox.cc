#include "rpc/response_inbox.h"

#include <boost/asio/post.hpp>

namespace longshore::rpc {

void ResponseInbox::put(Response response) {
  std::unique_lock lock(mutex_);
  if (closed_) return;
  items_.push_back(std::move(response));
  if (items_.size() > 1) return;  // the first one has posted already
  waiting_.store(true, std::memory_order_release);
  // Under the lock: once close() is through, nothing touches the executor any more.
  boost::asio::post(executor_, [self = shared_from_this()] {
    const auto receiver = self->receiver_.lock();
    if (receiver) receiver->on_responses();
  });
}

void ResponseInbox::post(std::function<void()> act) {
  const std::lock_guard lock(mutex_);
  if (closed_) return;
  boost::asio::post(executor_, [self = shared_from_this(), act = std::move(act)] {
    if (self->receiver_.lock()) act();
  });
}

bool ResponseInbox::take(std::vector<Response>& responses) {
  if (!waiting_.load(std::memory_order_acquire)) return false;
  const std::lock_guard lock(mutex_);
  waiting_.store(false, std::memory_order_relaxed);
  responses.swap(items_);
  return !responses.empty();
}

void ResponseInbox::close() {
  std::vector<Response> dropped;  // their destructors may run code of others
  const std::lock_guard lock(mutex_);
  closed_ = true;
  dropped.swap(items_);
}

}  // namespace longshore::rpc
