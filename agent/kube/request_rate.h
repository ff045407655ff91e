// How many requests a second may go to an API server: a bucket of tokens, one for each request.
//
// What an administrator has set is kept to, whatever the server answers. Where nothing is set, the
// rate follows the server:
//
//   start  20 a second.
//   rise   20 more, up to 200, after each second in which a request had to wait, some answer had
//          the header of priority and fairness, and no answer came later than 1 s after its
//          request. That header says that the server itself sees to it that nobody is starved by
//          others; where there is none the rate stays as it is.
//   fall   to the half, 5 at least, at an answer 429, though not twice within a second. Where it
//          has a Retry-After nothing is sent before that is over, 30 s at most.
//
// Threads: one. Owner: the line of those who wait for tokens. It has no clock: times are those of
// Timing's uptime, and never go back.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>

namespace longshore::kube {

// Of an administrator.
struct RequestLimit {
  double per_second = 0;  // 0: none is set
  double burst = 0;       // tokens that the bucket holds; 0: those of a second
};

// What the rate follows.
struct RequestAnswer {
  int status = 0;
  std::optional<std::chrono::seconds> retry_after = {};
  bool has_priority_level = false;
  std::chrono::nanoseconds took{};  // from the request to the answer's head
};

class RequestRate {
 public:
  using Time = std::chrono::nanoseconds;

  // The bucket is full.
  RequestRate(RequestLimit limit, Time now);

  // Whether there was a token, which is gone then.
  bool take(Time now);
  // How long it takes until there are so many.
  Time until(size_t tokens, Time now);
  void answered(const RequestAnswer& answer, Time now);

  double per_second() const { return per_second_; }
  bool is_set() const { return limit_.per_second > 0; }

 private:
  double capacity() const;
  void fill(Time now);
  void rise(Time now);
  void fall(const RequestAnswer& answer, Time now);

  const RequestLimit limit_;
  double per_second_;
  double tokens_;
  Time filled_at_;  // in the future: nothing is filled in before

  // Of the second that goes on.
  Time begun_at_;
  bool has_waited_ = false;
  bool has_priority_level_ = false;
  bool is_slow_ = false;
  std::optional<Time> fallen_at_;
};

}  // namespace longshore::kube
