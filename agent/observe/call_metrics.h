// What became of the calls that clients made over the agent's endpoints, by method.
//
// The figures are those of gRPC's usual server metrics, from which observe/metrics_text.h makes
// Prometheus series: calls begun and handled, by status, messages, and how long the calls took.
// Calls of modules to each other, of embedders and of longshorectl to the agent itself are not
// among them: the figures tell what drivers ask of the node.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "longshore/result.hpp"

namespace longshore::observe {

// The figures of one method. Every call passes here, so there are neither locks nor look-ups, and
// a call costs well under 0.1 µs.
// Threads: any. Owner: CallMetrics, shared with the routes and the calls on their way.
class MethodMetrics {
 public:
  static constexpr size_t kStatusCodes = 17;
  // The upper ends of the histogram's buckets, in milliseconds; beyond the last is one more.
  static constexpr std::array<int64_t, 14> kBucketMilliseconds = {
      1, 10, 100, 300, 600, 1000, 3000, 6000, 9000, 20000, 30000, 60000, 90000, 120000};

  MethodMetrics(std::string service, std::string method, bool server_streaming)
      : service_(std::move(service)),
        method_(std::move(method)),
        server_streaming_(server_streaming) {}
  MethodMetrics(const MethodMetrics&) = delete;
  MethodMetrics& operator=(const MethodMetrics&) = delete;

  const std::string& service() const { return service_; }  // "v1.Filesystem"
  const std::string& method() const { return method_; }    // "PathExists"
  bool server_streaming() const { return server_streaming_; }

  // A call has come: its head, and mostly its one request with it, so it is also taken for the
  // message received.
  void started() { add(started_); }
  void message_sent() { add(sent_); }
  // The call's one outcome. A status that gRPC does not know counts as UNKNOWN.
  void handled(StatusCode code, std::chrono::nanoseconds elapsed);
  // The module wrote a warning of that call, which may have gone well.
  void warned() { add(warned_); }

  // In short, for tables.
  struct Figures {
    uint64_t started = 0;
    uint64_t handled = 0;
    uint64_t failed = 0;  // of the handled ones
    double seconds = 0;   // of all handled calls together
  };
  Figures figures() const;

  // All of it, for the metrics.
  struct Snapshot {
    uint64_t started = 0;
    uint64_t sent = 0;
    uint64_t warned = 0;
    std::array<uint64_t, kStatusCodes> handled{};                    // by status code
    std::array<uint64_t, kBucketMilliseconds.size() + 1> buckets{};  // each for itself
    double seconds = 0;
  };
  Snapshot snapshot() const;

 private:
  using Counter = std::atomic<uint64_t>;
  static void add(Counter& counter, uint64_t count = 1) {
    counter.fetch_add(count, std::memory_order_relaxed);
  }

  const std::string service_;
  const std::string method_;
  const bool server_streaming_;
  Counter started_{0};
  Counter sent_{0};
  Counter warned_{0};
  Counter nanoseconds_{0};
  std::array<Counter, kStatusCodes> handled_{};
  std::array<Counter, kBucketMilliseconds.size() + 1> buckets_{};
};

// The figures of all methods that ever were, so that they go on counting over a reload.
// Threads: any. Owner: the agent.
class CallMetrics {
 public:
  // The method's own, made when it is first asked for. For those who make routes.
  std::shared_ptr<MethodMetrics> of(const std::string& service, const std::string& method,
                                    bool server_streaming);

  // By service and method.
  std::vector<std::shared_ptr<const MethodMetrics>> all() const;

 private:
  mutable std::mutex mutex_;
  std::map<std::pair<std::string, bool>, std::shared_ptr<MethodMetrics>> methods_;
};

}  // namespace longshore::observe
