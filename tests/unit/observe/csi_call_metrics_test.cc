#include "observe/csi_call_metrics.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <string>

#include "observe/metrics_text.h"

namespace longshore::observe {
namespace {

using namespace std::chrono_literals;

constexpr const char* kProbe = "csi.v1.Identity/Probe";

std::string text_of(const CsiCallMetrics& metrics) {
  StatusReport report;
  report.csi_calls = metrics.all();
  return metrics_text(report, {});
}

TEST_CASE("Calls of CSI drivers have the sidecars' name, labels and buckets") {
  CsiCallMetrics metrics;
  CHECK_THAT(text_of(metrics), !Catch::Contains("csi_sidecar_operations_seconds"));
  metrics.handled("/csi/csi.sock", "csi.v1.Identity/GetPluginInfo", StatusCode::kOk, 1ms);
  metrics.name_driver("/csi/csi.sock", "disk.csi.example");
  metrics.handled("/csi/csi.sock", kProbe, StatusCode::kCancelled, 100ms);
  metrics.handled("/csi/csi.sock", kProbe, StatusCode::kCancelled, 60s);
  metrics.handled("/csi/csi.sock", kProbe, StatusCode::kCancelled, 601s);
  metrics.handled("/other/csi.sock", kProbe, StatusCode::kOk, 1ms);
  const std::string text = text_of(metrics);
  const std::string name = "csi_sidecar_operations_seconds";
  const std::string labels =
      R"(driver_name="disk.csi.example",grpc_status_code="Canceled",method_name="/csi.v1.Identity/Probe")";
  std::string buckets;
  const auto add = [&](const char* end, int count) {
    buckets += name + "_bucket{" + labels + ",le=\"" + end + "\"} " + std::to_string(count) + '\n';
  };
  for (const char* end : {"0.1", "0.25", "0.5", "1", "2.5", "5", "10", "15", "25", "50"}) {
    add(end, 1);
  }
  for (const char* end : {"120", "300", "600"}) add(end, 2);
  add("+Inf", 3);
  CHECK_THAT(text, Catch::Contains("# TYPE " + name + " histogram\n") && Catch::Contains(buckets));
  CHECK_THAT(text, Catch::Contains(name + "_sum{" + labels + "} 661.1\n") &&
                       Catch::Contains(name + "_count{" + labels + "} 3\n"));
  const std::string unknown =
      name + R"(_count{driver_name="unknown-driver",grpc_status_code="OK",)";
  CHECK_THAT(text,
             Catch::Contains(unknown + "method_name=\"/csi.v1.Identity/GetPluginInfo\"} 1\n"));
  CHECK_THAT(text, Catch::Contains(unknown + "method_name=\"/csi.v1.Identity/Probe\"} 1\n"));
}

TEST_CASE("Neither drivers nor controllers can fill the metrics with names") {
  CsiCallMetrics metrics;
  for (size_t i = 0; i <= CsiCallMetrics::kMaxSeries; ++i) {
    metrics.handled("/s", "a.B/" + std::to_string(i), StatusCode::kOk, 1ms);
  }
  const size_t full = metrics.all().size();
  CHECK(full == CsiCallMetrics::kMaxSeries + 1);
  metrics.handled("/s", kProbe, StatusCode::kOk, 1ms);
  CHECK(metrics.all().size() == full);
  CHECK(metrics.all().front().driver == "other");
  CHECK(metrics.all().front().method == "other");
  CHECK(metrics.all().front().buckets.front() == 2);

  CsiCallMetrics odd;
  const std::string too_long(CsiCallMetrics::kMaxNameBytes + 1, 'x');
  odd.name_driver("/s", "");
  odd.name_driver("/s", too_long);
  odd.name_driver("/s", "driver\n\xff");
  odd.handled("/s", too_long, static_cast<StatusCode>(-1), 1ms);
  odd.handled("/s", too_long, static_cast<StatusCode>(17), 1ms);
  REQUIRE(odd.all().size() == 1);
  CHECK(odd.all().front().driver == "unknown-driver");
  CHECK(odd.all().front().method == "other");
  CHECK(odd.all().front().code == StatusCode::kUnknown);
  for (size_t i = 0; i <= CsiCallMetrics::kMaxDrivers; ++i) {
    odd.name_driver(std::to_string(i), "named");
  }
  odd.handled("0", kProbe, StatusCode::kOk, 1ms);
  odd.handled(std::to_string(CsiCallMetrics::kMaxDrivers), kProbe, StatusCode::kOk, 1ms);
  CHECK(odd.all().at(0).driver == "named");
  CHECK(odd.all().at(1).method == "/csi.v1.Identity/Probe");
  CHECK(odd.all().at(1).driver == "unknown-driver");
}

}  // namespace
}  // namespace longshore::observe
