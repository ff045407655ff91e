#include "heartbeat_watch.h"

#include <algorithm>
#include <utility>

namespace longshore::heartbeat {
namespace {

constexpr const char* kWatch = "longshore.heartbeat.v1.Heartbeat/Watch";
constexpr const char* kReport = "longshore.heartbeat.v1.Heartbeat/Report";
constexpr std::chrono::milliseconds kFirstRetryDelay{10};

}  // namespace

HeartbeatWatch::HeartbeatWatch(const longshore_host* host, Options options,
                               std::function<void(std::string_view reason)> set_degraded)
    : client_(host),
      options_(std::move(options)),
      set_degraded_(std::move(set_degraded)),
      report_timer_(host),
      retry_timer_(host) {}

Result<void> HeartbeatWatch::start() {
  if (auto set = report_timer_.start(options_.report_interval, [this] { report(); }); !set) {
    return set;
  }
  listen();
  return {};
}

void HeartbeatWatch::stop() {
  {
    const std::lock_guard lock(mutex_);
    is_stopped_ = true;
  }
  // What runs may set a timer or begin to listen until it sees that; nothing does so twice.
  retry_timer_.cancel();
  report_timer_.cancel();
  Subscription beats;
  {
    const std::lock_guard lock(mutex_);
    beats = std::move(beats_);
  }
}

void HeartbeatWatch::listen() {
  v1::WatchRequest request;
  request.set_source(options_.source);
  uint64_t attempt = 0;
  {
    const std::lock_guard lock(mutex_);
    attempt = ++attempts_;
  }
  Subscription beats = client_.stream<v1::Beat>(
      kWatch, request, {.timeout = std::chrono::nanoseconds::max()},
      [this](const v1::Beat& beat) { hear(beat); }, [this](const Result<void>& end) { lose(end); });
  const std::lock_guard lock(mutex_);
  // It may be lost already, and another in its place. The one before has ended; ended here, this
  // one would wait for its own completion.
  if (attempt == attempts_) std::swap(beats_, beats);
}

void HeartbeatWatch::hear(const v1::Beat& beat) {
  bool is_found = false;
  {
    const std::lock_guard lock(mutex_);
    ++heard_;
    last_ = beat.number();
    retry_delay_ = {};
    is_found = std::exchange(is_lost_, false);
  }
  if (is_found) set_degraded_({});
}

void HeartbeatWatch::lose(const Result<void>& end) {
  const std::chrono::nanoseconds most = options_.retry_delay_max;
  std::chrono::nanoseconds delay{};
  {
    const std::lock_guard lock(mutex_);
    if (is_stopped_) return;
    is_lost_ = true;
    // Never at once: a heart that beats once and is lost again would keep a processor busy.
    delay = retry_delay_ = std::clamp<std::chrono::nanoseconds>(
        2 * retry_delay_, std::min<std::chrono::nanoseconds>(kFirstRetryDelay, most), most);
  }
  set_degraded_("the heart is lost: " + (end ? "it ended" : end.error().message()));
  // Without a timer the instance is being stopped.
  static_cast<void>(retry_timer_.start(delay, [this] { listen(); }));
}

void HeartbeatWatch::report() {
  v1::ReportRequest request;
  request.set_listener(options_.listener);
  bool is_new = false;
  {
    const std::lock_guard lock(mutex_);
    if (is_stopped_) return;
    request.set_heard(heard_);
    request.set_last(last_);
    is_new = std::exchange(reported_, heard_) != heard_;
  }
  // One that is not taken is followed by another, as long as there is something to report.
  const auto ignore = [](const Result<v1::ReportResponse>&) {};
  if (is_new) client_.call<v1::ReportResponse>(kReport, request, {}, ignore);
  static_cast<void>(report_timer_.start(options_.report_interval, [this] { report(); }));
}

}  // namespace longshore::heartbeat
