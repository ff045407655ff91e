#include "core/collected_metrics.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>
#include <set>
#include <utility>

#include "core/module_answer.h"
#include "longshore/module/metrics.pb.h"

namespace longshore::core {
namespace {

// Not below zero, and a number.
double seconds_of(double value) { return std::isfinite(value) ? std::max(value, 0.0) : 0; }

observe::WorkQueueSeries::Durations durations_of(const module::v1::DurationFigures& figures) {
  observe::WorkQueueSeries::Durations durations;
  const auto count = std::min(figures.buckets_size(), static_cast<int>(durations.buckets.size()));
  std::copy_n(figures.buckets().begin(), count, durations.buckets.begin());
  durations.seconds = seconds_of(figures.seconds());
  return durations;
}

}  // namespace

std::vector<observe::WorkQueueSeries> work_queues_of(const std::string& module,
                                                     const std::string& response) {
  std::vector<observe::WorkQueueSeries> all;
  module::v1::CollectMetricsResponse message;
  if (!message.ParseFromString(response)) return all;
  std::set<std::string> names;
  for (const auto& figures : message.work_queues()) {
    if (all.size() == kMaxWorkQueues) break;
    if (figures.name().size() > kMaxWorkQueueNameBytes || !names.insert(figures.name()).second) {
      continue;
    }
    observe::WorkQueueSeries& series = all.emplace_back();
    series.module = module;
    series.name = figures.name();
    series.depth = figures.depth();
    series.adds = figures.adds();
    series.retries = figures.retries();
    series.waited = durations_of(figures.waited());
    series.worked = durations_of(figures.worked());
    series.unfinished_seconds = seconds_of(figures.unfinished_seconds());
    series.longest_running_seconds = seconds_of(figures.longest_running_seconds());
    series.running = figures.running();
    series.delayed = figures.delayed();
    series.oldest_seconds = seconds_of(figures.oldest_seconds());
  }
  return all;
}

std::vector<observe::WorkQueueSeries> collected_work_queues(const std::vector<ModuleEntry>& modules,
                                                            std::chrono::nanoseconds patience) {
  std::vector<std::pair<std::string, std::shared_ptr<ModuleAnswer>>> answers;
  for (const ModuleEntry& entry : modules) {
    if (!entry.serves()) continue;  // it may not even have been read
    const auto& method = entry.facts->description.metrics;
    if (!method) continue;
    const auto answer = std::make_shared<ModuleAnswer>();
    answers.emplace_back(entry.settings.name, answer);
    entry.instance->ask(*method, {}, patience, answer);
  }
  std::vector<observe::WorkQueueSeries> all;
  for (const auto& [module, answer] : answers) {
    const auto response = answer->wait();
    if (response) std::ranges::move(work_queues_of(module, *response), std::back_inserter(all));
  }
  return all;
}

}  // namespace longshore::core
