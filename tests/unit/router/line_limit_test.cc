// Which lines are written, and what is known of the others.
#include "router/line_limit.h"

#include <catch2/catch.hpp>
#include <string>

namespace longshore::router {
namespace {

using namespace std::chrono_literals;

struct Flood {
  // How many of so many lines are written.
  int admitted(int lines, const std::string& caller, const std::string& method) {
    int count = 0;
    for (int i = 0; i < lines; ++i) count += limit.admit(caller, method, now);
    return count;
  }

  Clock::time_point now{1h};
  LineLimit limit;
};

TEST_CASE_METHOD(Flood, "A caller gets a few lines of one method, and the others are counted") {
  CHECK(admitted(1000, "uid:1", "a") == LineLimit::kOfMethod.burst);
  REQUIRE(limit.has_suppressed());
  const auto suppressed = limit.take_suppressed();
  REQUIRE(suppressed.size() == 1);
  CHECK(suppressed[0].client == "uid:1");
  CHECK(suppressed[0].method == "a");
  CHECK(suppressed[0].lines == 990);
  CHECK_FALSE(limit.has_suppressed());
  CHECK(limit.take_suppressed().empty());
}

TEST_CASE_METHOD(Flood, "After a second there are some more, and after a while the first number") {
  admitted(1000, "uid:1", "a");
  now += 1s;
  CHECK(admitted(1000, "uid:1", "a") == LineLimit::kOfMethod.lines_per_second);
  now += 1h;
  CHECK(admitted(1000, "uid:1", "a") == LineLimit::kOfMethod.burst);
}

TEST_CASE_METHOD(Flood, "One caller's flood costs no other caller, and no other method, a line") {
  admitted(1000, "uid:1", "a");
  CHECK(admitted(1, "uid:2", "a") == 1);
  CHECK(admitted(1, "uid:1", "b") == 1);
}

TEST_CASE_METHOD(Flood, "A caller gets so many lines in all, whatever methods it calls") {
  int count = 0;
  for (int i = 0; i < 100; ++i) count += admitted(5, "uid:1", "method " + std::to_string(i));
  CHECK(count == LineLimit::kOfClient.burst);
  CHECK(admitted(1, "uid:2", "a") == 1);
}

TEST_CASE_METHOD(Flood, "Callers without number are counted together, and none is lost") {
  constexpr uint64_t kCallers = 10 * LineLimit::kMaxKeys;
  uint64_t written = 0;
  for (uint64_t i = 0; i < kCallers; ++i) {
    written += static_cast<uint64_t>(admitted(20, "uid:" + std::to_string(i), "a"));
  }
  const auto suppressed = limit.take_suppressed();
  CHECK(suppressed.size() == LineLimit::kMaxKeys + 1);
  CHECK(suppressed[0].client == "others");  // the most first
  uint64_t told = 0;
  for (const auto& each : suppressed) told += each.lines;
  CHECK(told + written == 20 * kCallers);
  // Those that call no more make room.
  now += 1h;
  CHECK(admitted(20, "somebody else", "a") == LineLimit::kOfMethod.burst);
  CHECK(limit.take_suppressed().at(0).client == "somebody else");
}

TEST_CASE_METHOD(Flood, "Of names as long as requests only the beginning is kept") {
  const std::string name(1 << 20, 'x');
  CHECK(admitted(1000, name, name + "1") == LineLimit::kOfMethod.burst);
  CHECK(admitted(1, name + "2", name + "2") == 0);
  const auto suppressed = limit.take_suppressed();
  REQUIRE(suppressed.size() == 1);
  CHECK(suppressed[0].lines == 991);
  CHECK(suppressed[0].client == name.substr(0, LineLimit::kMaxNameBytes));
  CHECK(suppressed[0].method == name.substr(0, LineLimit::kMaxNameBytes));
}

}  // namespace
}  // namespace longshore::router
