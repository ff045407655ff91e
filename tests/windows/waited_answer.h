// Somebody who waits for the answer of a call.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <utility>

#include "router/call.h"

namespace longshore::test {

class WaitedAnswer final : public router::CallObserver {
 public:
  bool on_message(std::string) override { return true; }
  void on_response(std::string message) override { set(StatusCode::kOk, std::move(message)); }
  void on_finish(StatusCode outcome, std::string why) override { set(outcome, std::move(why)); }

  bool wait() {
    std::unique_lock lock(mutex_);
    return done_.wait_for(lock, std::chrono::seconds(30), [&] { return finished_; });
  }
  // After `wait`.
  StatusCode code = StatusCode::kUnknown;
  std::string text;

 private:
  void set(StatusCode outcome, std::string what) {
    const std::lock_guard lock(mutex_);
    code = outcome;
    text = std::move(what);
    finished_ = true;
    done_.notify_all();
  }
  std::mutex mutex_;
  std::condition_variable done_;
  bool finished_ = false;
};

}  // namespace longshore::test
