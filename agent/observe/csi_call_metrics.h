// What became of the calls of CSI drivers, in the series that the Kubernetes sidecars have of
// theirs: csi_sidecar_operations_seconds.
//
// A driver is known by its socket until it has told its name. Methods are named by controllers and
// drivers by themselves, so names are bounded in length and series in number; what is beyond counts
// under "other".
//
// Threads: any. Owner: the host service Csi; calls on their way share it.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

#include "longshore/result.hpp"

namespace longshore::observe {

// The calls of one driver and method that ended in one status.
struct CsiCallSeries {
  // The upper ends of the histogram's buckets, in milliseconds; beyond the last is one more.
  static constexpr std::array<int64_t, 13> kBucketMilliseconds = {
      100, 250, 500, 1000, 2500, 5000, 10000, 15000, 25000, 50000, 120000, 300000, 600000};

  std::string driver;
  std::string method;  // "/csi.v1.Identity/Probe"
  StatusCode code = StatusCode::kOk;
  std::array<uint64_t, kBucketMilliseconds.size() + 1> buckets{};  // each for itself
  double seconds = 0;
};

class CsiCallMetrics {
 public:
  static constexpr size_t kMaxSeries = 1000;  // and one of each status code for what is beyond
  static constexpr size_t kMaxDrivers = 64;   // whose names are known
  static constexpr size_t kMaxNameBytes = 128;

  // The driver at this socket is called so, for calls that end from now on. A name that is empty,
  // too long or more than visible ASCII, which CSI does not allow, is none.
  void name_driver(const std::string& socket, const std::string& name);
  // A call of the method, such as "csi.v1.Identity/Probe", is over.
  void handled(const std::string& socket, const std::string& method, StatusCode code,
               std::chrono::nanoseconds elapsed);

  // By driver, method and code.
  std::vector<CsiCallSeries> all() const;

 private:
  using Key = std::tuple<std::string, std::string, StatusCode>;

  mutable std::mutex mutex_;
  std::map<std::string, std::string> drivers_;  // by socket
  std::map<Key, CsiCallSeries> series_;
};

}  // namespace longshore::observe
