#include "kube/timing.h"

#include <boost/asio/steady_timer.hpp>
#include <utility>

namespace longshore::kube {

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
