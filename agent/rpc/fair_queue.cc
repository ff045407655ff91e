#include "rpc/fair_queue.h"

#include <boost/asio/post.hpp>
#include <new>

#include "rpc/bad_alloc_scope.h"

namespace longshore::rpc {

// Who waits keeps its flow, and that keeps who waits.
FairQueue::~FairQueue() {
  for (const auto& flow : active_) flow->waiting_.clear();
}

void FairQueue::enter(const std::shared_ptr<Flow>& flow, std::shared_ptr<Turn> turn) {
  FairQueue& queue = flow->queue_;
  if (!queue.posted_) queue.post_next();
  flow->waiting_.push_back(std::move(turn));
  if (flow->waiting_.size() > 1) return;
  try {
    queue.active_.push_back(flow);
  } catch (...) {
    flow->waiting_.pop_back();
    throw;
  }
}

void FairQueue::post_next() {
  boost::asio::post(executor_, [this] { run_next(); });
  posted_ = true;
}

void FairQueue::run_next() {
  posted_ = false;
  done_ = 0;
  while (!active_.empty() && !posted_) {
    const std::shared_ptr<Flow> flow = active_.front();
    const std::shared_ptr<Turn> turn = std::move(flow->waiting_.front());
    flow->waiting_.pop_front();
    if (flow->waiting_.empty()) {
      active_.pop_front();
    } else {
      active_.splice(active_.end(), active_, active_.begin());
    }
    try {
      const BadAllocScope caught(BadAllocScope::Kind::kIsCaught);
      if (!active_.empty()) post_next();
    } catch (const std::bad_alloc&) {  // then the next one follows at once
    }
    turn->take_turn();
  }
}

}  // namespace longshore::rpc
