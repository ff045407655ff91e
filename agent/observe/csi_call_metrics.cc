#include "observe/csi_call_metrics.h"

#include <algorithm>
#include <utility>

namespace longshore::observe {
namespace {

constexpr const char* kUnknownDriver = "unknown-driver";  // as the sidecars have it
constexpr const char* kOther = "other";
constexpr auto kLastCode = StatusCode::kUnauthenticated;

}  // namespace

void CsiCallMetrics::name_driver(const std::string& socket, const std::string& name) {
  const bool is_plain = std::ranges::all_of(name, [](char c) { return c > ' ' && c < 0x7f; });
  if (name.empty() || name.size() > kMaxNameBytes || !is_plain) return;
  const std::lock_guard lock(mutex_);
  if (drivers_.size() >= kMaxDrivers && !drivers_.contains(socket)) return;
  drivers_[socket] = name;
}

void CsiCallMetrics::handled(const std::string& socket, const std::string& method, StatusCode code,
                             std::chrono::nanoseconds elapsed) {
  if (code < StatusCode::kOk || code > kLastCode) code = StatusCode::kUnknown;
  const std::lock_guard lock(mutex_);
  const auto driver = drivers_.find(socket);
  Key key = {driver == drivers_.end() ? kUnknownDriver : driver->second,
             method.size() > kMaxNameBytes ? kOther : '/' + method, code};
  if (series_.size() >= kMaxSeries && !series_.contains(key)) key = {kOther, kOther, code};
  CsiCallSeries& series = series_[key];
  std::tie(series.driver, series.method, series.code) = std::move(key);
  size_t bucket = 0;
  while (bucket < CsiCallSeries::kBucketMilliseconds.size() &&
         elapsed > std::chrono::milliseconds(CsiCallSeries::kBucketMilliseconds[bucket])) {
    ++bucket;
  }
  ++series.buckets[bucket];
  series.seconds += std::chrono::duration<double>(elapsed).count();
}

std::vector<CsiCallSeries> CsiCallMetrics::all() const {
  const std::lock_guard lock(mutex_);
  std::vector<CsiCallSeries> all;
  all.reserve(series_.size());
  for (const auto& [key, series] : series_) all.push_back(series);
  return all;
}

}  // namespace longshore::observe
