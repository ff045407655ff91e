// What a flood of failing calls leaves in the log.
#include "router/call_log.h"

#include <catch2/catch.hpp>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "router/line_limit.h"

namespace longshore::router {
namespace {

struct Written {
  void fail(const std::string& text, observe::Level level = observe::Level::kInfo) {
    if (!calls->admits(level, "uid:1", "v1.Disk/Do")) return;
    calls->write(level, text, {{"method", "v1.Disk/Do"}});
  }
  size_t count(const std::string& text) const {
    const std::lock_guard lock(mutex);
    return static_cast<size_t>(std::ranges::count_if(
        lines, [&](const std::string& line) { return line.find(text) != line.npos; }));
  }
  size_t size() const {
    const std::lock_guard lock(mutex);
    return lines.size();
  }

  mutable std::mutex mutex;
  std::vector<std::string> lines;
  Timers timers;
  std::unique_ptr<observe::Log> log =
      observe::Log::open({.level = observe::Level::kDebug,
                          .write =
                              [this](observe::Level, std::string_view line) {
                                const std::lock_guard lock(mutex);
                                lines.emplace_back(line);
                              }})
          .value();
  std::optional<CallLog> calls{std::in_place, *log, timers, "disk"};
};

TEST_CASE_METHOD(Written, "Calls that fail without end leave a few lines, and their number") {
  constexpr size_t kCalls = 100'000;
  for (size_t i = 0; i < kCalls; ++i) fail("it failed");
  const size_t written = count("it failed");
  CHECK(written >= static_cast<size_t>(LineLimit::kOfMethod.burst));
  CHECK(written < kCalls / 100);
  calls.reset();
  uint64_t told = 0;
  for (const std::string& line : lines) {
    const size_t end = line.find(" more lines like this in the last ");
    if (end == line.npos) continue;
    CHECK(line.find("module=disk method=v1.Disk/Do caller=uid:1") != line.npos);
    told += std::stoull(line.substr(line.rfind(' ', end - 1) + 1));
  }
  CHECK(told + written == kCalls);
}

TEST_CASE_METHOD(Written, "Lines that somebody asked for by the debug level are all written") {
  for (int i = 0; i < 1000; ++i) fail("call done", observe::Level::kDebug);
  calls.reset();
  CHECK(count("call done") == 1000);
  CHECK(size() == 1000);
}

TEST_CASE_METHOD(Written, "A text as long as its request is cut") {
  fail(std::string(1 << 20, 'x'));
  REQUIRE(size() == 1);
  CHECK(lines[0].size() < 1200);
  CHECK(lines[0].find("x... method=") != std::string::npos);
}

}  // namespace
}  // namespace longshore::router
