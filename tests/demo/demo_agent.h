// longshored as a process of the demonstration's.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "longshore/result.hpp"

namespace longshore::demo {

// Owner: the demonstration; its end ends the process.
class DemoAgent {
 public:
  // Starts it and waits until it says that it serves, as it says it to systemd. What it writes goes
  // to the log, which the error quotes. The signals SIGINT and SIGTERM are blocked and end the
  // wait.
  static Result<std::unique_ptr<DemoAgent>> start(std::vector<std::string> command);
  DemoAgent(const DemoAgent&) = delete;
  DemoAgent& operator=(const DemoAgent&) = delete;
  ~DemoAgent();

  std::chrono::microseconds time_to_serve() const { return time_to_serve_; }

  // SIGTERM, and waits for the end. The error says how else it ended.
  Result<void> stop();

 private:
  DemoAgent() = default;
  Result<void> spawn(std::vector<std::string>& command);
  Result<void> wait_until_serving();

  pid_t process_ = -1;
  int process_descriptor_ = -1;  // becomes readable at its end
  int notify_ = -1;
  std::chrono::microseconds time_to_serve_{};
};

// SIGINT and SIGTERM, kept from ending the demonstration before it has cleaned up. To be called
// before there are threads or processes.
void hold_back_interrupts();
bool is_interrupted();

}  // namespace longshore::demo
