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

  // The handle under which the module knows it, and the side finds it.
  void set_handle(longshore_timer handle) { handle_ = handle; }
  longshore_timer handle() const { return handle_; }
  // It is not to run any more. False: it has, or does.
  bool forgo() { return !ran_.exchange(true); }

  void on_time() override;
  void run() override { run_with(LONGSHORE_OK); }
  void run_with(longshore_result answer);

 private:
  const std::shared_ptr<HostSide> side_;
  const Function function_;
  void* const user_;
  longshore_timer handle_ = 0;
  std::atomic<bool> ran_{false};
};

}  // namespace longshore::loader
