// The threads that serve the I/O context: one leads, one stands by, and those whose call blocks are
// left behind.
//
//   standing by ──► leading: handlers of the context, then the calls that these began, in turn
//                      │
//                      └── a call has not come back for a millisecond ──► left behind: the thread
//                          finishes that call and ends; the one standing by leads, and a new one
//                          stands by
//
// So a quick call is read, run and answered by one thread, without a switch; and a call that blocks
// holds up the others for a millisecond or two at most. After that, calls go to their modules'
// pools for a while, so that a series of slow ones costs one such moment and not one each. Of calls
// that are many rather than slow, those go to the pools whose turn has not come by then.
//
// Only the leader runs the context: handlers can count on being alone, though not on being on one
// and the same thread.
//
// Threads: run() by the owner's; run_soon() any. Owner: the agent.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <memory>

#include "router/call_runner.h"

namespace longshore::endpoint {

class IoThreads final : public router::CallRunner {
 public:
  // How long a call may take before the next thread leads, how long pools are used afterwards, and
  // how long the end waits for the threads that are in a call.
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
    return method.reads_only && !method.server_streaming;
  }
  void run_soon(std::shared_ptr<router::Work> work, router::WorkerPool& pool) override;

 private:
  class State;
  const std::shared_ptr<State> state_;  // the threads share it
};

}  // namespace longshore::endpoint
