// A stream that is read for as long as an instance runs, such as a Watch of the agent's: when it
// ends it is subscribed to again, later each time, and the instance is degraded meanwhile.
//
//   reading ──the stream ends──► lost (degraded) ──after a delay──► reading
//       └──────────────────────────────── the first message: well again
//
// The delay begins anew where a stream has lasted for `most_delay` since its first message: one
// that tells all and ends, again and again, keeps nobody busy.
//
// Needs an agent of ABI 0.2 (`kAbiMinorNeeded`). Holds no thread while nothing happens.
// Threads: `start` and `stop` the module's control. Functions run one after the other, on threads
// of the instance's, and must not block. Owner: the module.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "longshore/client.hpp"
#include "longshore/timer.hpp"

namespace longshore {

class Watch {
 public:
  struct Options {
    std::chrono::nanoseconds first_delay = std::chrono::milliseconds(10);
    std::chrono::nanoseconds most_delay = std::chrono::seconds(10);
    uint32_t credit = 8;  // messages that may be on their way at once
  };

  // `host` is Module::host(). `subject` is what is read, for people: "the list of modules".
  // `set_degraded` tells the agent how it goes, see Module::set_degraded; empty: well.
  Watch(const longshore_host* host, std::string subject,
        std::function<void(std::string_view reason)> set_degraded)
      : Watch(host, std::move(subject), std::move(set_degraded), Options{}) {}
  Watch(const longshore_host* host, std::string subject,
        std::function<void(std::string_view reason)> set_degraded, Options options)
      : client_(host),
        subject_(std::move(subject)),
        set_degraded_(std::move(set_degraded)),
        options_(options),
        timer_(host) {}
  ~Watch() { stop(); }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  // Once. `on_begin`, where there is one, comes before the first message of each subscription: what
  // is told from then on is told from the beginning, and what was gone meanwhile is not told of.
  template <typename Message, typename Request>
  void start(std::string method, Request request, std::function<void(const Message&)> on_message,
             std::function<void()> on_begin = nullptr) {
    subscribe_ = [this, method = std::move(method), request = std::move(request),
                  on_message = std::move(on_message), on_begin = std::move(on_begin)] {
      if (on_begin) on_begin();
      return client_.stream<Message>(
          method, request, {.timeout = std::chrono::nanoseconds::max(), .credit = options_.credit},
          [this, on_message](const Message& message) {
            found();
            on_message(message);
          },
          [this](const Result<void>& end) { lost(end); });
    };
    subscribe();
  }

  // Afterwards none of the functions runs any more. Twice is harmless.
  void stop() {
    {
      const std::lock_guard lock(mutex_);
      is_stopped_ = true;
    }
    // What runs may set the timer or subscribe until it sees that; nothing does so twice.
    timer_.cancel();
    Subscription last;
    {
      const std::lock_guard lock(mutex_);
      last = std::move(subscription_);
    }
  }

 private:
  void subscribe() {
    uint64_t attempt = 0;
    {
      const std::lock_guard lock(mutex_);
      if (is_stopped_) return;
      attempt = ++attempts_;
    }
    Subscription subscription = subscribe_();
    const std::lock_guard lock(mutex_);
    // It may be lost already, and another in its place. The one before has ended; ended here, this
    // one would wait for its own completion.
    if (attempt == attempts_) std::swap(subscription_, subscription);
  }

  void found() {
    {
      const std::lock_guard lock(mutex_);
      if (!std::exchange(is_lost_, false)) return;
    }
    set_degraded_({});
    // Nothing else is set while the stream is read; if it ends first, that takes this one's place.
    static_cast<void>(timer_.start(options_.most_delay, [this] { forget_delay(); }));
  }

  void forget_delay() {
    const std::lock_guard lock(mutex_);
    if (!is_lost_) delay_ = {};
  }

  void lost(const Result<void>& end) {
    std::chrono::nanoseconds delay{};
    {
      const std::lock_guard lock(mutex_);
      if (is_stopped_) return;
      is_lost_ = true;
      // Never at once, however well it went before.
      delay = delay_ = std::clamp(2 * delay_, std::min(options_.first_delay, options_.most_delay),
                                  options_.most_delay);
    }
    set_degraded_(subject_ + " is lost: " + (end ? "it ended" : end.error().message()));
    // Without a timer the instance is being stopped.
    static_cast<void>(timer_.start(delay, [this] { subscribe(); }));
  }

  const Client client_;
  const std::string subject_;
  const std::function<void(std::string_view reason)> set_degraded_;
  const Options options_;
  std::function<Subscription()> subscribe_;

  std::mutex mutex_;
  uint64_t attempts_ = 0;
  bool is_lost_ = false;
  bool is_stopped_ = false;
  std::chrono::nanoseconds delay_{0};
  // After what they use: they are ended first.
  Timer timer_;
  Subscription subscription_;
};

}  // namespace longshore
