// For endpoints on which nobody calls.
#pragma once

#include <memory>

#include "router/call_runner.h"
#include "router/method.h"
#include "router/worker_pool.h"

namespace longshore::endpoint {

struct NoCalls final : router::CallRunner {
  bool takes(const router::Method&) const override { return false; }
  void run_soon(std::shared_ptr<router::Work>, router::WorkerPool&) override {}
};

}  // namespace longshore::endpoint
