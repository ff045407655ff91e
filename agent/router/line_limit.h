// Which log lines of calls are written: a few a second for each client and method, and for each
// client in all. The others are counted, so that who calls in vain cannot fill the disk.
//
// The client is who the first call of a chain came from (Caller::on_behalf_of): what modules call
// for somebody counts as that one's, and what they call of their own accord as theirs.
// Only lines that would be written come here, so calls that go well cost nothing.
// Threads: one at a time. Owner: a CallLog, of which each module has one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "router/bounded_counts.h"
#include "router/timers.h"

namespace longshore::router {

class LineLimit {
 public:
  struct Rate {
    int lines_per_second;
    int burst;
  };
  static constexpr Rate kOfMethod{3, 10};   // of one client
  static constexpr Rate kOfClient{20, 40};  // in all methods
  // Clients with methods that are known at once; all others count together.
  static constexpr size_t kMaxKeys = 1000;
  // Of the name of a client or method; the rest is cut off. So it all takes less than a megabyte,
  // whatever names there are.
  static constexpr size_t kMaxNameBytes = 128;

  // False: the line is counted and not written.
  bool admit(std::string_view client, std::string_view method, Clock::time_point now) {
    const Key key{client.substr(0, kMaxNameBytes), method.substr(0, kMaxNameBytes)};
    Bucket& of_method = of_methods_.at(key, now);
    Bucket& of_client = of_clients_.at(key.first, now);
    if (of_method.has_room(kOfMethod, now) && of_client.has_room(kOfClient, now)) {
      of_method.take(kOfMethod, now);
      of_client.take(kOfClient, now);
      return true;
    }
    if (of_method.suppressed++ == 0) ++with_suppressed_;
    return false;
  }

  bool has_suppressed() const { return with_suppressed_ > 0; }

  struct Suppressed {
    std::string client;
    std::string method;
    uint64_t lines;
  };
  // What no line has told yet, the most first; it is taken as told now.
  std::vector<Suppressed> take_suppressed() {
    std::vector<Suppressed> taken;
    taken.reserve(with_suppressed_);
    for (auto& [key, bucket] : of_methods_) {
      if (bucket.suppressed == 0) continue;
      taken.push_back({key.first, key.second, std::exchange(bucket.suppressed, 0)});
    }
    with_suppressed_ = 0;
    std::ranges::sort(taken, std::greater(), &Suppressed::lines);
    return taken;
  }

 private:
  using Key = std::pair<std::string, std::string>;

  // As full as the time is ahead: a line takes it one interval further.
  struct Bucket {
    Clock::time_point full_until;
    uint64_t suppressed = 0;

    static Clock::duration interval(Rate rate) {
      return Clock::duration(std::chrono::seconds(1)) / rate.lines_per_second;
    }
    bool has_room(Rate rate, Clock::time_point now) const {
      return full_until - now <= interval(rate) * (rate.burst - 1);
    }
    void take(Rate rate, Clock::time_point now) {
      full_until = std::max(full_until, now) + interval(rate);
    }
    bool is_idle(Clock::time_point now) const { return full_until <= now && suppressed == 0; }
  };

  BoundedCounts<Key, Bucket> of_methods_{kMaxKeys, {"others", {}}};
  BoundedCounts<std::string, Bucket> of_clients_{kMaxKeys, "others"};
  size_t with_suppressed_ = 0;
};

}  // namespace longshore::router
