// Where an API server is talked to: a loop that runs what is posted, and the connections of its
// thread.
//
// It is what the agent sees of longshore-kube.so, so that the client with all its libraries is
// loaded where a configuration needs it alone. Nothing of Asio's passes here: each side has its
// own.
//
// Threads: `post` and `stop` any; `run` the one that is the loop's from then on; the rest that one.
// Owner: the service; it outlives what it gives away.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "kube/api_access.h"
#include "kube/request_rate.h"
#include "kube/timing.h"
#include "longshore/result.hpp"
#include "observe/kube_request_metrics.h"

namespace longshore::kube {

struct AccessOptions {
  std::string kubeconfig;  // empty: of this Pod
  RequestLimit limit = {};
  std::function<void(const std::string& sentence)> warn = [](const auto&) {};
  std::shared_ptr<observe::KubeRequestMetrics> metrics = nullptr;  // null: nothing is counted
};

class ApiLoop {
 public:
  virtual ~ApiLoop() = default;
  virtual void run() = 0;  // until it is stopped
  virtual void stop() = 0;
  virtual void post(std::function<void()> function) = 0;
  virtual Timing& timing() = 0;
  // Its own connections to the server.
  virtual Result<std::unique_ptr<ApiAccess>> access(const AccessOptions& options) = 0;
};

}  // namespace longshore::kube
