// A call whose caller waits: its module runs on the caller's own thread, because handing it to
// another and back costs more than a quick call itself.
//
//   waiting ──run_soon──► running here ──► waiting ──outcome──► left
//
// A call that has to wait for its turn comes back through run_soon on another thread; once the
// caller has left (its deadline was first), that sends it to the pool.
//
// Threads: `wait` by the caller; the rest any. Owner: shared by the caller and the call.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>

#include "embed/outcome.h"
#include "router/call.h"
#include "router/call_runner.h"

namespace longshore::embed {

class WaitedCall final : public router::CallObserver, public router::CallRunner {
 public:
  // Runs what there is to run until the outcome is known.
  Outcome wait();

  // Unary calls only, and each of them.
  bool takes(const router::Method&) const override { return true; }
  void run_soon(std::shared_ptr<router::Work> work, router::WorkerPool& pool) override;

  bool on_message(std::string message) override;
  void on_response(std::string message) override;
  void on_finish(StatusCode code, std::string text) override;

 private:
  void tell(Outcome outcome);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::shared_ptr<router::Work> work_;
  Outcome outcome_;
  bool ended_ = false;
  bool left_ = false;
};

}  // namespace longshore::embed
