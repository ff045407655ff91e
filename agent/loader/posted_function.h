// A function that a module asked to have run later: waits for its time, then for a pool thread.
#pragma once

#include <atomic>
#include <memory>

#include "longshore/abi.h"
#include "router/timers.h"
#include "router/worker_pool.h"

namespace longshore::loader {

class HostSide;

// Owner: the instance, until it has run. Runs exactly once, with OK or CANCELLED.
class PostedFunction final : public router::Timer, public router::Work {
 public:
  using Function = void (*)(void* user, longshore_result answer);

  PostedFunction(std::shared_ptr<HostSide> side, Function function, void* user)
      : side_(std::move(side)), function_(function), user_(user) {}

  void on_time() override;
  void run() override { run_with(LONGSHORE_OK); }
  void run_with(longshore_result answer);

 private:
  const std::shared_ptr<HostSide> side_;
  const Function function_;
  void* const user_;
  std::atomic<bool> ran_{false};
};

}  // namespace longshore::loader
