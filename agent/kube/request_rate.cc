#include "kube/request_rate.h"

#include <algorithm>
#include <utility>

namespace longshore::kube {
namespace {

using std::chrono::seconds;

constexpr double kStart = 20;
constexpr double kRise = 20;
constexpr double kMost = 200;
constexpr double kLeast = 5;
constexpr seconds kSecond{1};
constexpr seconds kPrompt{1};
// A server, or what stands before it, that wants more does not stop all controllers for longer.
constexpr seconds kLongestPause{30};
constexpr int kTooManyRequests = 429;

double in_seconds(RequestRate::Time time) { return std::chrono::duration<double>(time).count(); }

}  // namespace

RequestRate::RequestRate(RequestLimit limit, Time now)
    : limit_(limit),
      per_second_(limit.per_second > 0 ? limit.per_second : kStart),
      tokens_(capacity()),
      filled_at_(now),
      begun_at_(now) {}

double RequestRate::capacity() const {
  return std::max(limit_.burst > 0 ? limit_.burst : per_second_, 1.0);
}

void RequestRate::fill(Time now) {
  if (now <= filled_at_) return;
  tokens_ = std::min(capacity(), tokens_ + in_seconds(now - filled_at_) * per_second_);
  filled_at_ = now;
}

bool RequestRate::take(Time now) {
  fill(now);
  rise(now);
  if (tokens_ < 1) {
    has_waited_ = true;
    return false;
  }
  --tokens_;
  return true;
}

RequestRate::Time RequestRate::until(size_t tokens, Time now) {
  fill(now);
  const double missing = static_cast<double>(tokens) - tokens_;
  if (missing <= 0) return Time::zero();
  // What a rate of next to nothing would take is more than a Time holds.
  constexpr double kMostSeconds = 1e9;
  const double wait = std::min(missing / per_second_, kMostSeconds);
  return std::max(filled_at_ - now, Time::zero()) +
         std::chrono::ceil<Time>(std::chrono::duration<double>(wait));
}

void RequestRate::answered(const RequestAnswer& answer, Time now) {
  if (is_set()) return;
  fill(now);
  if (answer.status == kTooManyRequests) return fall(answer, now);
  if (answer.took > kPrompt) is_slow_ = true;
  if (answer.has_priority_level) has_priority_level_ = true;
  rise(now);
}

void RequestRate::rise(Time now) {
  if (is_set() || now - begun_at_ < kSecond) return;
  begun_at_ = now;
  const bool has_waited = std::exchange(has_waited_, false);
  const bool has_priority_level = std::exchange(has_priority_level_, false);
  const bool is_slow = std::exchange(is_slow_, false);
  if (has_waited && has_priority_level && !is_slow) {
    per_second_ = std::min(per_second_ + kRise, kMost);
  }
}

void RequestRate::fall(const RequestAnswer& answer, Time now) {
  begun_at_ = now;
  has_waited_ = has_priority_level_ = is_slow_ = false;
  if (!fallen_at_ || now - *fallen_at_ >= kSecond) {
    fallen_at_ = now;
    per_second_ = std::max(per_second_ / 2, kLeast);
    tokens_ = std::min(tokens_, capacity());
  }
  if (!answer.retry_after) return;
  tokens_ = 0;
  filled_at_ = std::max<Time>(filled_at_, now + std::min(*answer.retry_after, kLongestPause));
}

}  // namespace longshore::kube
