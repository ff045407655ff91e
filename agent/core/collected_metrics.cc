#include "core/collected_metrics.h"

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <iterator>
#include <memory>
#include <mutex>
#include <set>
#include <utility>

#include "longshore/module/metrics.pb.h"
#include "router/call.h"
#include "router/module_wait.h"

namespace longshore::core {
namespace {

// The answer of one module. Its call's deadline ends the wait.
class Answer final : public router::CallObserver {
 public:
  bool on_message(std::string message) override {
    end(std::move(message));
    return true;
  }
  void on_response(std::string message) override { end(std::move(message)); }
  void on_finish(StatusCode, std::string) override { end({}); }

  // Empty: there is none.
  std::string wait() {
    const router::ModuleWait waits;
    std::unique_lock lock(mutex_);
    has_come_.wait(lock, [this] { return is_over_; });
    return std::move(response_);
  }

 private:
  void end(std::string response) {
    const std::lock_guard lock(mutex_);
    if (is_over_) return;
    is_over_ = true;
    response_ = std::move(response);
    has_come_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable has_come_;
  bool is_over_ = false;
  std::string response_;
};

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
  }
  return all;
}

std::vector<observe::WorkQueueSeries> collected_work_queues(const std::vector<ModuleEntry>& modules,
                                                            std::chrono::nanoseconds patience) {
  std::vector<std::pair<std::string, std::shared_ptr<Answer>>> answers;
  for (const ModuleEntry& entry : modules) {
    if (!entry.serves() || !entry.facts->description.metrics) continue;
    const auto answer = std::make_shared<Answer>();
    answers.emplace_back(entry.settings.name, answer);
    entry.instance->ask_metrics(patience, answer);
  }
  std::vector<observe::WorkQueueSeries> all;
  for (const auto& [module, answer] : answers) {
    std::ranges::move(work_queues_of(module, answer->wait()), std::back_inserter(all));
  }
  return all;
}

}  // namespace longshore::core
