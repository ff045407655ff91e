#include "csi/driver_wait_log.h"

#include <utility>

namespace longshore::csi {

void DriverWaitLog::waits(const std::string& reason, const std::string& advice,
                          Clock::time_point now) {
  if (!log_ || (logged_at_ && now - *logged_at_ < kPause)) return;
  logged_at_ = now;
  if (!std::exchange(is_logged_, true)) {
    // As at each start of a Pod whose driver is not the first to listen.
    log_->info("waits for the CSI driver", {{"address", address_}, {"reason", reason}});
  } else {
    const std::string whole = advice.empty() ? reason : reason + "; " + advice;
    log_->warning("still waits for the CSI driver", {{"address", address_}, {"reason", whole}});
  }
}

void DriverWaitLog::reached() {
  if (!std::exchange(is_logged_, false)) return;
  log_->info("the CSI driver is reached", {{"address", address_}});
}

}  // namespace longshore::csi
