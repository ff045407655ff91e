// Runs the built plugin in the SDK's fake host, which plays the host service and lets time pass.
#include <chrono>
#include <cstdio>
#include <vector>

#include "longshore/heartbeat/v1.pb.h"
#include "longshore/testing/fake_host.hpp"
#include "longshore/testing/module_file.hpp"

namespace {

using namespace longshore::heartbeat;
using namespace std::chrono_literals;
using longshore::testing::FakeHost;

constexpr const char* kWatch = "longshore.heartbeat.v1.Heartbeat/Watch";
constexpr const char* kReport = "longshore.heartbeat.v1.Heartbeat/Report";

int faults = 0;

void check(bool is_so, const char* what) {
  std::printf("%s: %s\n", is_so ? "ok" : "FAULT", what);
  if (!is_so) ++faults;
}

// Answers each watch with these beats, and each report with nothing.
void beat(FakeHost& host, std::vector<uint64_t> numbers) {
  host.answer_stream<v1::WatchRequest>(
      kWatch, [numbers](const v1::WatchRequest&) -> longshore::Result<std::vector<v1::Beat>> {
        std::vector<v1::Beat> beats;
        for (const uint64_t number : numbers) beats.emplace_back().set_number(number);
        return beats;
      });
  host.answer<v1::ReportRequest>(
      kReport, [](const v1::ReportRequest&) -> longshore::Result<v1::ReportResponse> {
        return v1::ReportResponse();
      });
}

v1::ReportRequest last_report(const FakeHost& host) {
  v1::ReportRequest report;
  const auto reports = host.invocations_of(kReport);
  if (!reports.empty()) report.ParseFromString(reports.back());
  return report;
}

void it_reports_what_it_heard(const longshore_module_entry& entry) {
  FakeHost host(entry);
  beat(host, {3, 4});
  check(host.start().ok(), "it starts with the defaults of its settings");
  check(host.invocations_of(kReport).empty(), "nothing is reported before its time");
  host.advance(1s);
  check(last_report(host).heard() >= 2, "the beats that it heard are reported");
  check(last_report(host).last() == 4, "and the last one");
  check(host.stop().ok(), "it stops");
}

void it_looks_for_a_heart_that_is_lost(const longshore_module_entry& entry) {
  FakeHost host(entry);
  beat(host, {});
  check(host.start().ok(), "it starts");
  check(host.degraded() == "the heart is lost: it ended", "a heart that is lost degrades it");
  const size_t before = host.invocations_of(kWatch).size();
  host.advance(100ms);
  const size_t soon = host.invocations_of(kWatch).size();
  check(soon > before, "it is looked for again");
  host.advance(1h);
  check(host.invocations_of(kWatch).size() - soon < 500, "but not without pause");
  beat(host, {1});
  host.advance(10s);
  check(last_report(host).heard() > 0, "and found");
  check(host.stop().ok(), "it stops");
}

}  // namespace

int main() {
  const longshore::testing::ModuleFile file(HEARTBEAT_MODULE);
  it_reports_what_it_heard(file.entry());
  it_looks_for_a_heart_that_is_lost(file.entry());
  return faults == 0 ? 0 : 1;
}
