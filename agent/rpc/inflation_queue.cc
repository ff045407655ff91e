#include "rpc/inflation_queue.h"

#include <algorithm>
#include <utility>

#include "longshore/secret.hpp"
#include "rpc/gzip.h"
#include "rpc/inflater.h"

namespace longshore::rpc {
namespace {

// Short messages of many zeros are no attack.
constexpr size_t kFreeBytes = 64u << 10;

size_t most_of(const Limits& limits, size_t compressed) {
  const size_t by_ratio = kFreeBytes + compressed * limits.max_inflation_ratio;
  return std::min(by_ratio, limits.max_message_bytes);
}

}  // namespace

void InflationQueue::add(std::string message, std::function<void(Result<std::string>)> done) {
  waiting_.push_back({std::move(message), std::move(done)});
  if (!busy_) start_next();
}

void InflationQueue::close() {
  for (Item& item : waiting_) wipe(item.message);
  waiting_.clear();
}

void InflationQueue::start_next() {
  if (waiting_.empty()) return;
  busy_ = true;
  if (!inflater_ || !has_share(Clock::now())) {
    post_([this] {
      finish(Error::of_text(StatusCode::kResourceExhausted,
                            "the connection sends more compressed data than is inflated for it, " +
                                std::to_string(limits_.max_inflated_bytes_per_second) +
                                " bytes a second"));
    });
    return;
  }
  const size_t most = most_of(limits_, waiting_.front().message.size());
  // The bytes are the thread's until it is done; the place in the queue stays here.
  auto message = std::make_shared<std::string>(std::move(waiting_.front().message));
  inflater_->post([this, message, most, post = post_] {
    auto plain = std::make_shared<Result<std::string>>(gzip_decompress(*message, most));
    wipe(*message);
    post([this, plain] { finish(std::move(*plain)); });
  });
}

void InflationQueue::finish(Result<std::string> plain) {
  busy_ = false;
  if (waiting_.empty()) return;
  if (plain) share_ -= static_cast<double>(plain->size());
  auto done = std::move(waiting_.front().done);
  waiting_.pop_front();
  done(std::move(plain));
  if (!busy_) start_next();
}

bool InflationQueue::has_share(Clock::time_point now) {
  const auto most = static_cast<double>(limits_.max_inflated_bytes_per_second);
  const std::chrono::duration<double> passed = now - share_at_;
  share_ = std::min(most, share_ + passed.count() * most);
  share_at_ = now;
  return share_ > 0;
}

}  // namespace longshore::rpc
