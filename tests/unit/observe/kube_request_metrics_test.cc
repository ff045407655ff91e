#include "observe/kube_request_metrics.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <string>

#include "observe/metrics_text.h"

namespace longshore::observe {
namespace {

using namespace std::chrono_literals;
using Catch::Contains;

std::string text_of(const KubeRequestMetrics& metrics) {
  StatusReport report;
  report.kube_requests = metrics.report();
  return metrics_text(report, {});
}

TEST_CASE("Requests to the API server have client-go's names and labels, once there are some") {
  KubeRequestMetrics metrics;
  CHECK_THAT(text_of(metrics), !Contains("rest_client") && !Contains("longshore_kube"));
  metrics.handled("api:6443", "GET", 200);
  metrics.handled("api:6443", "GET", 200);
  metrics.handled("api:6443", "GET", 429);
  metrics.handled("api:6443", "PATCH", KubeRequestMetrics::kNoAnswer);
  metrics.handled("[::1]:443", "GET", 200);
  CHECK_THAT(
      text_of(metrics),
      Contains("# TYPE rest_client_requests_total counter\n"
               "rest_client_requests_total{code=\"200\",host=\"[::1]:443\",method=\"GET\"} 1\n"
               "rest_client_requests_total{code=\"200\",host=\"api:6443\",method=\"GET\"} 2\n"
               "rest_client_requests_total{code=\"429\",host=\"api:6443\",method=\"GET\"} 1\n"
               "rest_client_requests_total{code=\"<error>\",host=\"api:6443\","
               "method=\"PATCH\"} 1\n"));
  CHECK_THAT(text_of(metrics), !Contains("rate_limiter"));
}

TEST_CASE("Waits for a turn have client-go's buckets, and the rates are told as they are now") {
  KubeRequestMetrics metrics;
  for (const auto time : {0ms, 5ms, 6ms, 61000ms}) metrics.waited("api:6443", "PUT", time);
  metrics.rate(KubeRequestMetrics::Limit::kEvents).per_second = 40;
  metrics.rate(KubeRequestMetrics::Limit::kEvents).waiting = 3;
  metrics.rate(KubeRequestMetrics::Limit::kEvents).last_wait = 250ms;
  REQUIRE(metrics.report().rates.size() == 1);
  CHECK(metrics.report().rates[0].last_wait == 250ms);
  const std::string text = text_of(metrics);
  const std::string name = "rest_client_rate_limiter_duration_seconds";
  const std::string labels = R"({host="api:6443",verb="PUT")";
  std::string buckets;
  const auto add = [&](const char* end, int count) {
    buckets += name + "_bucket" + labels + ",le=\"" + end + "\"} " + std::to_string(count) + '\n';
  };
  add("0.005", 2);
  for (const char* end : {"0.025", "0.1", "0.25", "0.5", "1", "2", "4", "8", "15", "30", "60"}) {
    add(end, 3);
  }
  add("+Inf", 4);
  CHECK_THAT(text, Contains("# TYPE " + name + " histogram\n") && Contains(buckets));
  CHECK_THAT(text, Contains(name + "_sum" + labels + "} 61.011\n"));
  CHECK_THAT(text, Contains("# TYPE longshore_kube_requests_per_second gauge\n"
                            "longshore_kube_requests_per_second{limit=\"events\"} 40\n"));
  CHECK_THAT(text, Contains("\nlongshore_kube_requests_waiting{limit=\"events\"} 3\n"));
  CHECK_THAT(text, !Contains("limit=\"objects\""));
}

}  // namespace
}  // namespace longshore::observe
