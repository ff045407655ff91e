// Where calls can be begun without handing them to another thread.
//
// Handing a call to a pool costs two switches of threads, more than a quick call itself. A runner
// runs calls on the thread that reads the requests, and has another thread go on reading should a
// call turn out to block.
#pragma once

#include <memory>

#include "router/worker_pool.h"

namespace longshore::router {

class CallRunner {
 public:
  virtual ~CallRunner() = default;

  // Runs `work` soon, or posts it to `pool` when calls have been slow of late. `pool` must live as
  // long as `work` does. [any thread]
  virtual void run_soon(std::shared_ptr<Work> work, WorkerPool& pool) = 0;
};

}  // namespace longshore::router
