// What the log says of the waiting for one CSI driver: that it begins, every 30 seconds that it
// lasts, and that the driver is reached.
//
//   reached ──waits──► waiting ──reached──► reached
//
// A driver may come and go each second. So a waiting that begins within 30 seconds of the last line
// that somebody waits is logged when they are over, if it still lasts. That the driver is reached
// is logged if the waiting was: the last line is always right, but for these seconds.
//
// It has no timer: whoever waits says so each time that the driver was looked for in vain.
//
// Threads: one at a time. Owner: the watch of the driver.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "observe/log.h"

namespace longshore::csi {

class DriverWaitLog {
 public:
  using Clock = std::chrono::steady_clock;

  static constexpr std::chrono::seconds kPause{30};

  // `path`: of the driver's socket. `log`: null, nothing is logged.
  DriverWaitLog(observe::Log* log, const std::string& path)
      : log_(log), address_("unix://" + path) {}

  // `reason`: what kept the driver from being reached this time. `advice`: what to do if it lasts.
  void waits(const std::string& reason, const std::string& advice = {},
             Clock::time_point now = Clock::now());
  void reached();

 private:
  observe::Log* const log_;
  const std::string address_;
  std::optional<Clock::time_point> logged_at_;  // the last line that somebody waits
  bool is_logged_ = false;                      // that somebody waits now
};

}  // namespace longshore::csi
