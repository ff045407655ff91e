#include "kube/timing.h"

#include <boost/asio/steady_timer.hpp>
#include <utility>
#if !defined(_WIN32)
#include <ctime>
#endif

namespace longshore::kube {

std::chrono::nanoseconds system_uptime() {
#if defined(_WIN32)
  return std::chrono::steady_clock::now().time_since_epoch();
#else
  // The steady clock stands still while the system sleeps.
  timespec time{};
  clock_gettime(CLOCK_BOOTTIME, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
#endif
}

std::shared_ptr<void> IoTiming::after(std::chrono::milliseconds delay,
                                      std::function<void()> on_time) {
  const auto timer = std::make_shared<boost::asio::steady_timer>(io_, delay);
  // One that has run out already cannot be cancelled: whether somebody still waits counts.
  timer->async_wait([weak = std::weak_ptr(timer),
                     on_time = std::move(on_time)](const boost::system::error_code& cancelled) {
    if (!cancelled && !weak.expired()) on_time();
  });
  return timer;
}

}  // namespace longshore::kube
