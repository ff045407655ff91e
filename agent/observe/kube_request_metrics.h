// What became of the requests to the Kubernetes API server, in the series that client-go has of its
// own: rest_client_requests_total and rest_client_rate_limiter_duration_seconds. And the rates that
// requests go by now.
//
// Its labels are bounded: the server is one of the configuration's, methods and statuses are few.
//
// Threads: any. Owner: the host service Kube; clients share it.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace longshore::observe {

// Requests of one method that ended in one status.
struct KubeRequestSeries {
  std::string host;  // "api.example:6443"
  std::string method;
  int status = 0;  // of HTTP; 0: there was no answer
  uint64_t count = 0;
};

// How long requests of one method waited for their turn.
struct KubeWaitSeries {
  // The upper ends of the histogram's buckets, in milliseconds; beyond the last is one more.
  static constexpr std::array<int64_t, 12> kBucketMilliseconds = {
      5, 25, 100, 250, 500, 1000, 2000, 4000, 8000, 15000, 30000, 60000};

  std::string host;
  std::string method;
  std::array<uint64_t, kBucketMilliseconds.size() + 1> buckets{};  // each for itself
  double seconds = 0;
};

// A rate as it is now. Threads: any.
struct KubeRateFigures {
  std::atomic<double> per_second{0};  // 0: nothing was asked by it yet
  std::atomic<uint64_t> waiting{0};   // requests
  // How long the one waited whose turn came last.
  std::atomic<std::chrono::nanoseconds> last_wait{std::chrono::nanoseconds(0)};
};

struct KubeRateSeries {
  std::string limit;  // what goes by it: "objects"
  double per_second = 0;
  uint64_t waiting = 0;
  std::chrono::nanoseconds last_wait{0};
};

struct KubeRequestReport {
  std::vector<KubeRequestSeries> requests;
  std::vector<KubeWaitSeries> waits;
  std::vector<KubeRateSeries> rates;
};

class KubeRequestMetrics {
 public:
  static constexpr int kNoAnswer = 0;
  static constexpr std::array<const char*, 3> kLimits = {"objects", "events", "leases"};
  enum class Limit { kObjects, kEvents, kLeases };

  void handled(const std::string& host, std::string_view method, int status);
  void waited(const std::string& host, std::string_view method, std::chrono::nanoseconds time);
  // Whoever keeps that rate fills it in.
  KubeRateFigures& rate(Limit limit) { return rates_[static_cast<size_t>(limit)]; }

  KubeRequestReport report() const;

 private:
  mutable std::mutex mutex_;
  std::map<std::tuple<std::string, std::string, int>, uint64_t> requests_;
  std::map<std::pair<std::string, std::string>, KubeWaitSeries> waits_;
  std::array<KubeRateFigures, kLimits.size()> rates_;
};

}  // namespace longshore::observe
