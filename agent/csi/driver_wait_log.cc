#include "csi/driver_wait_log.h"

#include <utility>

namespace longshore::csi {

void DriverWaitLog::waits(const std::string& reason, Clock::time_point now) {
  if (!log_ || (logged_at_ && now - *logged_at_ < kPause)) return;
  const bool is_first = !std::exchange(logged_at_, now);
  const observe::Fields fields{{"address", address_}, {"reason", reason}};
  if (is_first) {  // as at each start of a Pod whose driver is not the first to listen
    log_->info("waits for the CSI driver", fields);
  } else {
    log_->warning("still waits for the CSI driver", fields);
  }
}

void DriverWaitLog::reached() {
  if (!std::exchange(logged_at_, std::nullopt)) return;
  log_->info("the CSI driver is reached", {{"address", address_}});
}

}  // namespace longshore::csi
