// Ends the agent when it is asked to while its modules start, which may take long: in order as far
// as there is one, so that it is not taken for a crash of the module that is being started.
//
// Threads: one of its own, for the signals. Owner: the agent, while it starts.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <thread>

#include "core/crash_markers.h"
#include "observe/log.h"

namespace longshore {

class EndDuringStart {
 public:
  // `markers` may be null.
  EndDuringStart(observe::Log& log, core::CrashMarkers* markers);
  ~EndDuringStart();
  EndDuringStart(const EndDuringStart&) = delete;
  EndDuringStart& operator=(const EndDuringStart&) = delete;

 private:
  boost::asio::io_context io_{1};
  boost::asio::signal_set signals_{io_};
  std::thread thread_;
};

}  // namespace longshore
