#include "main/service_watchdog.h"

#include <atomic>
#include <boost/asio/post.hpp>
#include <charconv>
#include <cstdlib>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "config/user_names.h"

namespace longshore {
namespace {

std::optional<int64_t> number_in_environment(const char* name) {
  const char* const found = getenv(name);
  const std::string_view text = found ? found : "";
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

std::optional<std::chrono::microseconds> ServiceWatchdog::period_of_environment() {
  // Of another process, which has passed its environment on.
  if (getenv("WATCHDOG_PID") && number_in_environment("WATCHDOG_PID") != config::own_process_id()) {
    return std::nullopt;
  }
  const std::optional<int64_t> period = number_in_environment("WATCHDOG_USEC");
  if (!period || *period <= 0) return std::nullopt;
  return std::chrono::microseconds(*period);
}

class ServiceWatchdog::State final : public router::Timer {
 public:
  State(std::chrono::microseconds period, Parts parts)
      : interval_(period / 2), parts_(std::move(parts)) {}

  void arm() {
    const std::lock_guard lock(mutex_);
    if (!is_over_) parts_.timers.arm(*this, router::Clock::now() + interval_);
  }

  void end() {
    {
      const std::lock_guard lock(mutex_);
      is_over_ = true;
    }
    parts_.timers.disarm(*this);
  }

  void end_of_control() { control_is_over_ = true; }

  void on_time() override {
    arm();
    if (is_at_io_.exchange(true)) return tell("the I/O threads make no progress");
    boost::asio::post(parts_.io, [self = std::static_pointer_cast<State>(shared_from_this())] {
      self->is_at_io_ = false;
      self->pass_control();
    });
  }

 private:
  // On the I/O thread.
  void pass_control() {
    const bool went_on = control_is_over_ || parts_.control->went_on(steps_);
    steps_ = parts_.control->steps();
    if (!went_on) return tell("the control thread makes no progress");
    parts_.beat();
  }

  void tell(const char* what) const {
    parts_.log.error(what, {{"advice", "the service manager ends the agent unless that changes"}});
  }

  const std::chrono::microseconds interval_;
  const Parts parts_;
  std::mutex mutex_;
  bool is_over_ = false;
  std::atomic<bool> is_at_io_{false};
  std::atomic<bool> control_is_over_{false};
  uint64_t steps_ = 0;  // of the control thread, when it was looked at last; the I/O thread's
};

ServiceWatchdog::ServiceWatchdog(std::chrono::microseconds period, Parts parts)
    : state_(std::make_shared<State>(period, std::move(parts))) {
  state_->arm();
}

ServiceWatchdog::~ServiceWatchdog() { state_->end(); }

void ServiceWatchdog::end_of_control() { state_->end_of_control(); }

}  // namespace longshore
