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
  std::string waits(std::chrono::seconds after, const std::string& reason) {
    lines.clear();
    wait_log.waits(reason, begin + after);
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
  CHECK_THAT(waits(1s, "gone"), Contains("INFO ") && Contains(" waits for the CSI driver"));
}

TEST_CASE("A service without a log waits for a driver all the same") {
  DriverWaitLog silent(nullptr, "/csi/csi.sock");
  CHECK_NOTHROW(silent.waits("no such file"));
  CHECK_NOTHROW(silent.reached());
}

}  // namespace longshore::csi
