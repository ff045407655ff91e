// The answer of one module to a question of the agent's own, on a thread that waits for it. The
// deadline of the question ends the wait.
//
// Threads: `wait` one; the rest any. Owner: who asks, and the call.
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>

#include "longshore/result.hpp"
#include "router/call.h"

namespace longshore::core {

class ModuleAnswer final : public router::CallObserver {
 public:
  bool on_message(std::string message) override;
  void on_response(std::string message) override;
  void on_finish(StatusCode code, std::string text) override;

  // What it said, or why it did not.
  Result<std::string> wait();

 private:
  void end(Result<std::string> answer);

  std::mutex mutex_;
  std::condition_variable has_come_;
  std::optional<Result<std::string>> answer_;
};

}  // namespace longshore::core
