#include "observe/recent_lines.h"

#include <catch2/catch.hpp>

#include "observe/log.h"
#include "observe/log_line.h"

namespace longshore::observe {
namespace {

WallClock::time_point at(int seconds) {
  return WallClock::time_point(std::chrono::seconds(seconds));
}

TEST_CASE("lines are remembered with their fields apart, the oldest make room") {
  RecentLines lines(3);
  CHECK(lines.all().empty());
  for (int i = 1; i <= 5; ++i) {
    lines.add(at(i), Level::kError, "line " + std::to_string(i),
              {{"request", std::to_string(i)}, {"object", ""}});
  }
  const auto all = lines.all();
  REQUIRE(all.size() == 3);
  CHECK(all[0].text == "line 3");
  CHECK(all[2].text == "line 5");
  CHECK(all[2].time == at(5));
  CHECK(all[2].level == Level::kError);
  CHECK(all[2].field("request") == "5");
  CHECK(all[2].field("object").empty());
  CHECK(all[2].fields.size() == 1);
}

TEST_CASE("a long line is cut off") {
  RecentLines lines(1);
  lines.add(at(0), Level::kInfo, std::string(9000, 't'), {{"object", std::string(9000, 'o')}});
  CHECK(lines.all()[0].text == std::string(RecentLines::kMaxTextBytes, 't'));
  CHECK(lines.all()[0].field("object") == std::string(RecentLines::kMaxTextBytes, 'o'));
}

TEST_CASE(
    "long lines leave room for fewer, and of a line with very many fields some are left out") {
  RecentLines lines(100);
  Fields fields;
  for (int i = 0; i < 100; ++i) fields.emplace_back("object", std::string(1024, 'o'));
  for (int i = 1; i <= 1000; ++i) lines.add(at(i), Level::kError, std::to_string(i), fields);
  const auto all = lines.all();
  REQUIRE(all.size() >= 2);
  CHECK(all.size() < 100);
  for (size_t i = 0; i < all.size(); ++i) {
    CHECK(all[i].text == std::to_string(1000 - all.size() + 1 + i));
    CHECK(all[i].fields.size() > 10);
    for (const Field& field : all[i].fields) CHECK(field.value == fields[0].value);
  }
}

TEST_CASE("the log remembers what went wrong, and what it said of requests") {
  LogOptions options;
  options.write = [](Level, std::string_view) {};
  const auto log = Log::open(options);
  REQUIRE(log);
  (*log)->debug("not written", {{"request", "a-1"}});
  (*log)->info("nothing of note");
  (*log)->info("of a request", {{"request", "a-1"}});
  (*log)->warning("a problem");
  (*log)->error("a problem of a request", {{"request", "a-2"}});
  const auto problems = (*log)->problems().all();
  REQUIRE(problems.size() == 2);
  CHECK(problems[0].text == "a problem");
  const auto of_requests = (*log)->of_requests().all();
  REQUIRE(of_requests.size() == 2);
  CHECK(of_requests[0].text == "of a request");
  CHECK(of_requests[1].field("request") == "a-2");
}

}  // namespace
}  // namespace longshore::observe
