// The thread that runs the handlers of an executor, and between two of them something else: calls
// that it has read. What these say to their clients need not be posted: it is on the right thread
// already. But a call may be left behind on its thread while another thread runs the executor, so
// it has to ask.
//
// Threads: any may ask. Owner: outlives the executor's connections.
#pragma once

#include <functional>
#include <memory>

namespace longshore::rpc {

// What is left to do once, however often it was asked for: writing what is queued.
class Deferred {
 public:
  virtual void run_deferred() = 0;

 protected:
  ~Deferred() = default;
};

class ExecutorThread {
 public:
  virtual ~ExecutorThread() = default;

  // Runs `act` now, as a handler of the executor would, if this thread is the one that runs it, and
  // between two handlers. False: it is not; post.
  virtual bool run_here(const std::function<void()>& act) = 0;

  // Has something done before the next handler runs. Only from within `run_here`.
  virtual void defer(std::shared_ptr<Deferred> deferred) = 0;
};

}  // namespace longshore::rpc
