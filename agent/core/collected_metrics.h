// Asks the modules that offer longshore.module.v1.Metrics for what they count. They are asked side
// by side, and one that does not answer in time is left out.
//
// What they say is a stranger's: names are bounded in length and number, and come once each, since
// Prometheus refuses a page that has a series twice.
//
// Threads: any, and it waits.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "core/module_entry.h"
#include "observe/work_queue_series.h"

namespace longshore::core {

inline constexpr size_t kMaxWorkQueues = 64;  // of a module
inline constexpr size_t kMaxWorkQueueNameBytes = 128;

std::vector<observe::WorkQueueSeries> collected_work_queues(
    const std::vector<ModuleEntry>& modules,
    std::chrono::nanoseconds patience = std::chrono::milliseconds(500));

// Of a serialised CollectMetricsResponse. None: it is no such message.
std::vector<observe::WorkQueueSeries> work_queues_of(const std::string& module,
                                                     const std::string& response);

}  // namespace longshore::core
