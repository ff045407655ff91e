#include "observe/call_metrics.h"

#include <utility>

namespace longshore::observe {

void MethodMetrics::handled(StatusCode code, std::chrono::nanoseconds elapsed) {
  auto number = static_cast<size_t>(code);
  if (number >= kStatusCodes) number = static_cast<size_t>(StatusCode::kUnknown);
  size_t bucket = 0;  // nearly always the first
  while (bucket < kBucketMilliseconds.size() &&
         elapsed > std::chrono::milliseconds(kBucketMilliseconds[bucket])) {
    ++bucket;
  }
  add(handled_[number]);
  add(buckets_[bucket]);
  if (elapsed.count() > 0) add(nanoseconds_, static_cast<uint64_t>(elapsed.count()));
}

MethodMetrics::Snapshot MethodMetrics::snapshot() const {
  constexpr auto kRelaxed = std::memory_order_relaxed;
  Snapshot snapshot;
  // What has been handled before what has been started: never more of the former.
  for (size_t i = 0; i < handled_.size(); ++i) snapshot.handled[i] = handled_[i].load(kRelaxed);
  for (size_t i = 0; i < buckets_.size(); ++i) snapshot.buckets[i] = buckets_[i].load(kRelaxed);
  snapshot.seconds = static_cast<double>(nanoseconds_.load(kRelaxed)) / 1e9;
  snapshot.sent = sent_.load(kRelaxed);
  snapshot.warned = warned_.load(kRelaxed);
  snapshot.started = started_.load(kRelaxed);
  return snapshot;
}

MethodMetrics::Figures MethodMetrics::figures() const {
  const Snapshot all = snapshot();
  Figures figures;
  figures.started = all.started;
  figures.seconds = all.seconds;
  for (const uint64_t count : all.handled) figures.handled += count;
  figures.failed = figures.handled - all.handled[0];
  return figures;
}

std::shared_ptr<MethodMetrics> CallMetrics::of(const std::string& service,
                                               const std::string& method, bool server_streaming) {
  const std::lock_guard lock(mutex_);
  auto& metrics = methods_[{service + '/' + method, server_streaming}];
  if (!metrics) metrics = std::make_shared<MethodMetrics>(service, method, server_streaming);
  return metrics;
}

std::vector<std::shared_ptr<const MethodMetrics>> CallMetrics::all() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<const MethodMetrics>> all;
  for (const auto& [key, metrics] : methods_) all.push_back(metrics);
  return all;
}

}  // namespace longshore::observe
