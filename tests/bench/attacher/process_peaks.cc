#include "tests/bench/attacher/process_peaks.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <stop_token>
#include <string>

#include "tests/bench/peer/process_usage.h"

namespace longshore::bench {

size_t threads_of(pid_t process) {
  std::error_code gone;
  const std::filesystem::directory_iterator tasks("/proc/" + std::to_string(process) + "/task",
                                                  gone);
  return static_cast<size_t>(std::distance(begin(tasks), end(tasks)));
}

ProcessPeaks::ProcessPeaks(pid_t process)
    : thread_([this, process](const std::stop_token& stop) {
        while (!stop.stop_requested()) {
          peaks_.pss_kib = std::max<size_t>(peaks_.pss_kib, pss_kib(process));
          peaks_.threads = std::max(peaks_.threads, threads_of(process));
          std::this_thread::sleep_for(std::chrono::milliseconds(20));
        }
      }) {}

Peaks ProcessPeaks::stop() {
  thread_.request_stop();
  thread_.join();
  return peaks_;
}

}  // namespace longshore::bench
