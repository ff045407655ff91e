// The threads that serve the I/O context: one leads, one stands by, and those whose call blocks are
// left behind.
//
//   standing by ──► leading: a handler of the context, then the calls that it began, in turn
//                      │
//                      └── a call does not come back for a millisecond ──► left behind: the thread
//                          finishes that call and ends (on Windows it stands by again); the one
//                          standing by leads, and a new one stands by
//
// So a quick call is read, run and answered by one thread, without a switch; and a call that blocks
// or spins holds up the others for a few milliseconds at most. A thread that only waits for a
// processor is not left behind: another would wait for it as well.
//
// One late call costs one such change. A second one of the same module soon after means that there
// are more to come: then that module's calls go to its pool for a while. Calls that take long
// without blocking go there too once they have used up a millisecond between them.
//
// Only the leader runs the context: handlers can count on being alone, though not on being on one
// and the same thread. While it is in a call it holds nothing of the context's, and has to ask
// whether it still leads (`run_here`) before it touches any of it.
//
// Threads: run() by the owner's; the rest any. Owner: the agent.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <functional>
#include <memory>

#include "router/call_runner.h"
#include "rpc/executor_thread.h"

namespace longshore::endpoint {

class IoThreads final : public router::CallRunner, public rpc::ExecutorThread {
 public:
  // How long a call may take before the next thread leads, how long a pool is used after two that
  // took longer, and how long the end waits for the threads that are in a call.
  struct Patience {
    std::chrono::microseconds with_a_call{1000};
    std::chrono::milliseconds with_pools{100};
    std::chrono::milliseconds at_the_end{1000};
  };

  explicit IoThreads(boost::asio::io_context& io) : IoThreads(io, Patience{}) {}
  IoThreads(boost::asio::io_context& io, Patience patience);
  ~IoThreads() override;

  // Serves the context until it is stopped or has nothing left to do. False: threads that were left
  // behind are still in their calls, so what these use must not be freed.
  bool run();

  // Calls that read are mostly quick and many; those that change things are few, and slow ones are
  // among them. A stream may wait for its reader, which takes the thread that reads.
  bool takes(const router::Method& method) const override {
    return (method.reads_only || method.non_blocking) && !method.server_streaming;
  }
  // After the handler that runs; at once to the pool from a thread that does not lead.
  void run_soon(std::shared_ptr<router::Work> work, router::WorkerPool& pool) override;

  bool run_here(const std::function<void()>& act) override;
  void defer(std::shared_ptr<rpc::Deferred> deferred) override;

 private:
  class State;
  const std::shared_ptr<State> state_;  // the threads share it
};

}  // namespace longshore::endpoint
