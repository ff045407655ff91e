// The rates of one connection to an API server: leases and events have their own, so that no lease
// is lost because much else is asked for, and no events keep objects from being written.
//
// Leases have a rate that nobody sets and no answer changes: how often they are renewed is bounded
// by their number.
//
// Threads: the context's. Owner: the client.
#pragma once

#include <string_view>

#include "kube/request_rate.h"
#include "kube/request_turns.h"
#include "kube/timing.h"
#include "observe/kube_request_metrics.h"

namespace longshore::kube {

class RequestLimits {
 public:
  // `limit` is for events as it is for objects, each by itself.
  // `metrics` outlives it; null: nobody looks at the rates.
  RequestLimits(Timing& timing, RequestLimit limit, observe::KubeRequestMetrics* metrics = nullptr)
      : objects_(timing, limit, figures_of(metrics, Figures::kObjects)),
        events_(timing, limit, figures_of(metrics, Figures::kEvents)),
        leases_(timing, kLeases, figures_of(metrics, Figures::kLeases)) {}

  // Of a request with this path.
  RequestTurns& turns(std::string_view path);

 private:
  using Figures = observe::KubeRequestMetrics::Limit;
  static observe::KubeRateFigures* figures_of(observe::KubeRequestMetrics* metrics, Figures limit) {
    return metrics ? &metrics->rate(limit) : nullptr;
  }

  static constexpr RequestLimit kLeases = {.per_second = 20, .burst = 20};

  RequestTurns objects_;
  RequestTurns events_;
  RequestTurns leases_;
};

}  // namespace longshore::kube
