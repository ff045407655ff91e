#include "main/end_during_start.h"

#include <csignal>
#include <cstdlib>
#include <string>

namespace longshore {

EndDuringStart::EndDuringStart(observe::Log& log, core::CrashMarkers* markers) {
  signals_.add(SIGTERM);
  signals_.add(SIGINT);
  signals_.async_wait([&log, markers](boost::system::error_code error, int signal) {
    if (error) return;
    log.info("ending before all modules are started", {{"signal", std::to_string(signal)}});
    if (markers != nullptr) markers->close();
    std::_Exit(0);  // a module may hang, and there is nothing yet that would need a farewell
  });
  thread_ = std::thread([this] { io_.run(); });
}

EndDuringStart::~EndDuringStart() {
  io_.stop();
  thread_.join();
}

}  // namespace longshore
