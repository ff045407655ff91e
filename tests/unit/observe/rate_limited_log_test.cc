#include "observe/rate_limited_log.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <thread>

#include "tests/support/temporary_directory.h"
#include "tests/unit/observe/log_lines.h"

namespace longshore::observe {
namespace {

using namespace std::chrono_literals;

// A rate limited log on a file, with a clock that the test turns.
struct Fixture {
  Fixture() : log(*Log::open({.file = folder / "log"})) {}

  std::vector<std::string> written() const { return test::messages_of(folder / "log"); }
  void flood(uint32_t lines) {
    for (uint32_t i = 0; i < lines; ++i) limited.write(Level::kInfo, "line", {});
  }

  const test::TemporaryDirectory folder;
  const std::unique_ptr<Log> log;
  RateLimitedLog::Clock::time_point now{1h};
  RateLimitedLog limited{*log, [this] { return now; }};
};

constexpr uint32_t kLimit = RateLimitedLog::kLinesPerSecond;

TEST_CASE_METHOD(Fixture, "As many lines as the limit pass in a second, the next does not") {
  flood(kLimit + 1);
  CHECK(written() == std::vector<std::string>(kLimit, "INFO  line"));
}

TEST_CASE_METHOD(Fixture, "The first line of a later second tells how many were dropped, once") {
  flood(kLimit + 7);
  now += 999ms;
  flood(1);
  CHECK(written().size() == kLimit);
  now += 1ms;
  limited.write(Level::kError, "first", {{"module", "disk"}});
  limited.write(Level::kError, "second", {});
  auto lines = written();
  lines.erase(lines.begin(), lines.begin() + kLimit);
  CHECK(lines ==
        std::vector<std::string>{"WARN  8 log lines were dropped: too many in a second module=disk",
                                 "ERROR first module=disk", "ERROR second"});
}

TEST_CASE_METHOD(Fixture, "The end tells how many were dropped since") {
  {
    RateLimitedLog ending{*log, [this] { return now; }};
    for (uint32_t i = 0; i < kLimit + 3; ++i) {
      ending.write(Level::kInfo, "line", {{"module", "disk"}});
    }
  }
  CHECK(written().size() == kLimit + 1);
  CHECK(written().back() == "WARN  3 log lines were dropped: too many in a second module=disk");
}

TEST_CASE_METHOD(Fixture, "Nothing is said about dropped lines when none was") {
  flood(kLimit);
  now += 1s;
  flood(1);
  CHECK(written() == std::vector<std::string>(kLimit + 1, "INFO  line"));
}

TEST_CASE_METHOD(Fixture, "Lines below the level are neither counted nor dropped") {
  for (uint32_t i = 0; i < 2 * kLimit; ++i) limited.write(Level::kDebug, "quiet", {});
  flood(1);
  CHECK(written() == std::vector<std::string>{"INFO  line"});
}

TEST_CASE_METHOD(Fixture, "A line that is too long is cut") {
  const std::string longest(RateLimitedLog::kMaxLineBytes, 'x');
  limited.write(Level::kInfo, longest, {});
  limited.write(Level::kInfo, longest + "tail", {});
  CHECK(written() == std::vector<std::string>(2, "INFO  " + longest));
}

TEST_CASE_METHOD(Fixture, "In the long run so many bytes pass, however long the lines are") {
  const std::string line(RateLimitedLog::kMaxLineBytes, 'x');
  int64_t bytes = 0;
  constexpr int64_t kSeconds = 100;
  for (int64_t second = 0; second < kSeconds; ++second, now += 1s) {
    for (uint32_t i = 0; i < kLimit; ++i) limited.write(Level::kInfo, line, {});
  }
  for (const std::string& each : written()) bytes += static_cast<int64_t>(each.size());
  CHECK(bytes > kSeconds * RateLimitedLog::kBytesPerSecond * 9 / 10);
  CHECK(bytes <= RateLimitedLog::kBurstBytes + (kSeconds + 1) * RateLimitedLog::kBytesPerSecond);
  // It is over with the flood.
  now += 60s;
  limited.write(Level::kInfo, "after it", {});
  CHECK(written().back() == "INFO  after it");
}

TEST_CASE_METHOD(Fixture, "A limit for a minute says so") {
  RateLimitedLog few{*log, [this] { return now; }, RateLimitedLog::kFew};
  for (int i = 0; i < 12; ++i) few.write(Level::kInfo, "line", {});
  now += 59s;
  few.write(Level::kInfo, "line", {});
  CHECK(written().size() == RateLimitedLog::kFew.lines);
  now += 1s;
  few.write(Level::kInfo, "later", {});
  auto lines = written();
  lines.erase(lines.begin(), lines.begin() + RateLimitedLog::kFew.lines);
  CHECK(lines == std::vector<std::string>{"WARN  3 log lines were dropped: too many in a minute",
                                          "INFO  later"});
}

TEST_CASE_METHOD(Fixture, "A line that is cut inside a character stays valid UTF-8") {
  const std::string start(RateLimitedLog::kMaxLineBytes - 1, 'x');
  limited.write(Level::kInfo, start + "\xc3\xbc", {});
  CHECK(written() == std::vector<std::string>{"INFO  " + start + "\xef\xbf\xbd"});
}

TEST_CASE_METHOD(Fixture, "Many threads together get no more than the limit") {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) threads.emplace_back([this] { flood(kLimit); });
  for (std::thread& thread : threads) thread.join();
  now += 1s;
  flood(1);
  const auto lines = written();
  REQUIRE(lines.size() == kLimit + 2);
  CHECK(lines[kLimit] ==
        "WARN  " + std::to_string(3 * kLimit) + " log lines were dropped: too many in a second");
}

}  // namespace
}  // namespace longshore::observe
