#include "csi/driver_wait_log.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace longshore::csi {
namespace {

using namespace std::chrono_literals;
using Catch::Matchers::Contains;

struct WaitWorld {
  // What the log says of a look in vain this long after the beginning; empty: nothing.
  std::string waits(std::chrono::seconds after, const std::string& reason,
                    const std::string& advice = {}) {
    lines.clear();
    wait_log.waits(reason, advice, begin + after);
    REQUIRE(lines.size() <= 1);
    return lines.empty() ? std::string() : lines.front();
  }

  std::vector<std::string> lines;
  const std::unique_ptr<observe::Log> log =
      observe::Log::open({.write = [this](observe::Level, std::string_view line) {
        lines.emplace_back(line);
      }}).value();
  DriverWaitLog wait_log{log.get(), "/csi/csi.sock"};
  const DriverWaitLog::Clock::time_point begin = DriverWaitLog::Clock::now();
};

}  // namespace

TEST_CASE_METHOD(WaitWorld, "The waiting for a driver is logged as it begins and every 30 s") {
  CHECK_THAT(waits(0s, "no such file"),
             Contains("INFO ") && Contains(" waits for the CSI driver") &&
                 Contains("address=unix:///csi/csi.sock") && Contains("reason=\"no such file\""));
  CHECK(waits(1s, "no such file").empty());
  CHECK(waits(29s, "not ready").empty());
  CHECK_THAT(waits(30s, "not ready"), Contains("WARN") &&
                                          Contains("still waits for the CSI driver") &&
                                          Contains("reason=\"not ready\""));
  CHECK(waits(59s, "not ready").empty());
  CHECK_THAT(waits(61s, "not ready"), Contains("still waits"));
}

TEST_CASE_METHOD(WaitWorld, "A driver that is reached is logged once, and a new waiting anew") {
  wait_log.reached();
  CHECK(lines.empty());  // nobody has waited
  waits(0s, "not ready");
  wait_log.reached();
  wait_log.reached();
  REQUIRE(lines.size() == 2);
  CHECK_THAT(lines.back(),
             Contains("the CSI driver is reached") && Contains("address=unix:///csi/csi.sock"));
  CHECK_THAT(waits(30s, "gone"), Contains("INFO ") && Contains(" waits for the CSI driver"));
}

TEST_CASE_METHOD(WaitWorld, "A driver that comes and goes each second fills no log") {
  for (int minute = 0; minute < 3; ++minute) {
    size_t count = 0;
    for (int second = 0; second < 60; ++second) {
      waits(std::chrono::seconds(minute * 60 + second), "gone");
      wait_log.reached();
      count += lines.size();
      // Neither without the other.
      if (!lines.empty()) CHECK_THAT(lines.back(), Contains("the CSI driver is reached"));
    }
    CHECK(count == 4);
  }
}

TEST_CASE_METHOD(WaitWorld, "A waiting that begins soon after another is logged if it lasts") {
  waits(0s, "not ready");
  wait_log.reached();
  CHECK(waits(1s, "gone").empty());
  CHECK(waits(29s, "gone").empty());
  CHECK_THAT(waits(30s, "gone"), Contains("INFO ") && Contains(" waits for the CSI driver"));
  CHECK_THAT(waits(60s, "gone"), Contains("still waits"));
  wait_log.reached();
  CHECK_THAT(lines.back(), Contains("the CSI driver is reached"));
}

TEST_CASE_METHOD(WaitWorld, "What to do about it is logged when the waiting lasts") {
  CHECK_THAT(waits(0s, "no such file", "see whether it runs"),
             Contains("reason=\"no such file\"") && !Contains("see whether"));
  CHECK_THAT(waits(30s, "no such file", "see whether it runs"),
             Contains("reason=\"no such file; see whether it runs\""));
}

TEST_CASE("A service without a log waits for a driver all the same") {
  DriverWaitLog silent(nullptr, "/csi/csi.sock");
  CHECK_NOTHROW(silent.waits("no such file"));
  CHECK_NOTHROW(silent.reached());
}

}  // namespace longshore::csi
