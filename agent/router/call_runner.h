// Where calls can be begun without handing them to another thread.
//
// Handing a call to a pool costs two switches of threads, more than a quick call itself. A runner
// runs calls where they come from: on the thread that reads the requests, which has another go on
// reading should a call turn out to block; or on the thread of an embedder that waits anyway.
#pragma once

#include <memory>

#include "router/method.h"
#include "router/worker_pool.h"

namespace longshore::router {

class CallRunner {
 public:
  virtual ~CallRunner() = default;

  // Whether calls of this method are for it at all; the others go to their pool. [any thread]
  virtual bool takes(const Method& method) const = 0;

  // Runs `work` soon, or posts it to `pool` when that is better. `pool` must live as long as `work`
  // does. [any thread]
  virtual void run_soon(std::shared_ptr<Work> work, WorkerPool& pool) = 0;
};

}  // namespace longshore::router
