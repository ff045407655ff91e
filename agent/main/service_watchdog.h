// The heartbeat that the service manager waits for (systemd's WatchdogSec=): sent as long as the
// agent's own threads make progress, and no longer. Then the manager ends the agent and starts it
// again.
//
//   timers ──each half of the period──► I/O ──► has the control thread gone on? ──► WATCHDOG=1
//
// A beat goes through the timers' thread and the I/O thread; while one has not come through, no
// other is begun. The control thread is not woken: what it has done is looked at. A module holds up
// none of them: its calls have threads of their own, and the control thread's waits for modules are
// told apart (router/module_wait.h).
//
// Threads: the timers' and the I/O thread; `end_of_control` any. Owner: the agent.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>

#include "observe/log.h"
#include "router/progress.h"
#include "router/timers.h"

namespace longshore {

class ServiceWatchdog {
 public:
  struct Parts {
    router::Timers& timers;
    boost::asio::io_context& io;
    std::shared_ptr<const router::Progress> control;
    std::function<void()> beat;  // tells the manager, on the I/O thread; must not block
    observe::Log& log;
  };

  // Within which time the manager wants to hear of this process, by WATCHDOG_USEC and WATCHDOG_PID;
  // nothing: it does not.
  static std::optional<std::chrono::microseconds> period_of_environment();

  ServiceWatchdog(std::chrono::microseconds period, Parts parts);
  ~ServiceWatchdog();
  ServiceWatchdog(const ServiceWatchdog&) = delete;
  ServiceWatchdog& operator=(const ServiceWatchdog&) = delete;

  // From now on the control thread does not matter: the agent is ending, and it begins nothing.
  void end_of_control();

 private:
  class State;
  const std::shared_ptr<State> state_;  // a beat may be on its way
};

}  // namespace longshore
