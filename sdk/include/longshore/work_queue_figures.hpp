// The figures of a module's work queues, for the agent's /metrics.
//
//   module::v1::CollectMetricsResponse response;
//   add_figures(*queue_, response);
//
// A module that derives from WorkQueueModule serves them already. Threads: any.
#pragma once

#include <chrono>

#include "longshore/module/metrics.pb.h"
#include "longshore/work_queue.hpp"

namespace longshore {

inline constexpr const char* kMetricsService = "longshore.module.v1.Metrics";

namespace detail {

inline double in_seconds(std::chrono::nanoseconds time) {
  return std::chrono::duration<double>(time).count();
}

inline void fill(module::v1::DurationFigures& figures, const WorkQueue::Durations& durations) {
  for (const uint64_t bucket : durations.buckets) figures.add_buckets(bucket);
  figures.set_seconds(in_seconds(durations.total));
}

}  // namespace detail

inline void add_figures(const WorkQueue& queue, module::v1::CollectMetricsResponse& response) {
  const WorkQueue::Metrics metrics = queue.metrics();
  auto& figures = *response.add_work_queues();
  figures.set_name(queue.name());
  figures.set_depth(metrics.depth);
  figures.set_adds(metrics.adds);
  figures.set_retries(metrics.retries);
  detail::fill(*figures.mutable_waited(), metrics.waited);
  detail::fill(*figures.mutable_worked(), metrics.worked);
  figures.set_unfinished_seconds(detail::in_seconds(metrics.unfinished));
  figures.set_longest_running_seconds(detail::in_seconds(metrics.longest_running));
  figures.set_running(metrics.running);
  figures.set_delayed(metrics.delayed);
  figures.set_oldest_seconds(detail::in_seconds(metrics.oldest));
}

}  // namespace longshore
