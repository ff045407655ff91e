// Listens to one heart, reports what was heard, and looks for it again when it is lost.
//
//   listening ──the stream ends──► lost (degraded) ──after a delay──► listening
//       └──────────────────────────────────────────── the first beat: well again
//
// Neither the stream nor the timers hold a thread while nothing happens.
// Threads: `start` and `stop` by the module's control; completions and timers call back. Owner: the
// module.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>

#include "longshore/client.hpp"
#include "longshore/heartbeat/v1.pb.h"
#include "longshore/timer.hpp"

namespace longshore::heartbeat {

class HeartbeatWatch {
 public:
  struct Options {
    std::string listener;
    std::string source;
    std::chrono::nanoseconds report_interval{};
    std::chrono::nanoseconds retry_delay_max{};
  };
  // `set_degraded` tells the agent how it goes; see Module::set_degraded.
  HeartbeatWatch(const longshore_host* host, Options options,
                 std::function<void(std::string_view reason)> set_degraded);

  Result<void> start();
  // Afterwards nothing of it runs any more.
  void stop();

 private:
  void listen();
  void hear(const v1::Beat& beat);
  void lose(const Result<void>& end);
  void report();

  const Client client_;
  const Options options_;
  const std::function<void(std::string_view reason)> set_degraded_;

  std::mutex mutex_;
  uint64_t heard_ = 0;
  uint64_t reported_ = 0;
  uint64_t last_ = 0;
  uint64_t attempts_ = 0;
  bool is_lost_ = false;
  bool is_stopped_ = false;
  std::chrono::nanoseconds retry_delay_{0};
  // After what they use: they are ended first.
  Timer report_timer_;
  Timer retry_timer_;
  Subscription beats_;
};

}  // namespace longshore::heartbeat
