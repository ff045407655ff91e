#include "observe/kube_request_metrics.h"

namespace longshore::observe {

void KubeRequestMetrics::handled(const std::string& host, std::string_view method, int status) {
  const std::lock_guard lock(mutex_);
  ++requests_[{host, std::string(method), status}];
}

void KubeRequestMetrics::waited(const std::string& host, std::string_view method,
                                std::chrono::nanoseconds time) {
  const std::lock_guard lock(mutex_);
  KubeWaitSeries& series = waits_[{host, std::string(method)}];
  size_t bucket = 0;
  while (bucket < KubeWaitSeries::kBucketMilliseconds.size() &&
         time > std::chrono::milliseconds(KubeWaitSeries::kBucketMilliseconds[bucket])) {
    ++bucket;
  }
  ++series.buckets[bucket];
  series.seconds += std::chrono::duration<double>(time).count();
}

KubeRequestReport KubeRequestMetrics::report() const {
  KubeRequestReport report;
  for (size_t i = 0; i < kLimits.size(); ++i) {
    if (rates_[i].per_second == 0) continue;
    report.rates.push_back(
        {kLimits[i], rates_[i].per_second, rates_[i].waiting, rates_[i].last_wait});
  }
  const std::lock_guard lock(mutex_);
  for (const auto& [key, count] : requests_) {
    const auto& [host, method, status] = key;
    report.requests.push_back({host, method, status, count});
  }
  for (const auto& [key, series] : waits_) {
    report.waits.push_back(series);
    std::tie(report.waits.back().host, report.waits.back().method) = key;
  }
  return report;
}

}  // namespace longshore::observe
