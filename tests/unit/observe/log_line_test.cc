#include "observe/log_line.h"

#include <catch2/catch.hpp>

namespace longshore::observe {
namespace {

// 2026-11-21T04:31:35.007Z
const WallClock::time_point kTime{std::chrono::milliseconds(1795235495007)};

std::string text(std::string_view message, const Fields& fields = {}) {
  return text_line(kTime, Level::kInfo, message, fields);
}

std::string json(std::string_view message, const Fields& fields = {}) {
  return json_line(kTime, Level::kInfo, message, fields);
}

TEST_CASE("A line of text has the time in UTC, the level, the message and the fields") {
  CHECK(text("serving", {{"endpoint", "disk-v1"}, {"method", "v1.Disk/ListDiskIDs"}}) ==
        "2026-11-21T04:31:35.007Z INFO  serving endpoint=disk-v1 method=v1.Disk/ListDiskIDs");
}

TEST_CASE("A line of JSON has the same as one object") {
  CHECK(json("serving", {{"endpoint", "disk-v1"}}) ==
        R"({"time":"2026-11-21T04:31:35.007Z","level":"info","message":"serving",)"
        R"("endpoint":"disk-v1"})");
}

TEST_CASE("Every level has a name in both formats, and those of text are equally wide") {
  const auto line = [](Level level) { return text_line(kTime, level, "m", {}).substr(25); };
  CHECK(line(Level::kDebug) == "DEBUG m");
  CHECK(line(Level::kInfo) == "INFO  m");
  CHECK(line(Level::kWarning) == "WARN  m");
  CHECK(line(Level::kError) == "ERROR m");
  CHECK(name_of(Level::kDebug) == "debug");
  CHECK(name_of(Level::kInfo) == "info");
  CHECK(name_of(Level::kWarning) == "warning");
  CHECK(name_of(Level::kError) == "error");
}

TEST_CASE("A line for the journal has the severity as syslog counts it, and no time") {
  CHECK(journal_line(Level::kDebug, "m", {}) == "<7>m");
  CHECK(journal_line(Level::kInfo, "m", {}) == "<6>m");
  CHECK(journal_line(Level::kWarning, "<0>m\n<0>", {}) == "<4><0>m\\n<0>");
  CHECK(journal_line(Level::kError, "m", {{"k", "two words"}, {"n", ""}}) ==
        "<3>m k=\"two words\"");
}

TEST_CASE("A number that is no level becomes the nearest one") {
  CHECK(level_of(-2147483647 - 1) == Level::kDebug);
  CHECK(level_of(0) == Level::kDebug);
  CHECK(level_of(3) == Level::kWarning);
  CHECK(level_of(5) == Level::kError);
}

TEST_CASE("The time is right at the ends of seconds and before 1970") {
  const auto at = [](int64_t milliseconds) {
    const WallClock::time_point time{std::chrono::milliseconds(milliseconds)};
    return text_line(time, Level::kInfo, "m", {}).substr(0, 24);
  };
  CHECK(at(0) == "1970-01-01T00:00:00.000Z");
  CHECK(at(999) == "1970-01-01T00:00:00.999Z");
  CHECK(at(1000) == "1970-01-01T00:00:01.000Z");
  CHECK(at(-1) == "1969-12-31T23:59:59.999Z");
}

TEST_CASE("Fields without a value are left out") {
  CHECK(text("m", {{"a", ""}, {"b", "1"}}) == "2026-11-21T04:31:35.007Z INFO  m b=1");
  CHECK(json("m", {{"a", ""}}).find("\"a\"") == std::string::npos);
}

TEST_CASE("Values that a reader could not tell from the rest of the line are quoted") {
  const auto value = [](std::string_view text_of_value) {
    return text("m", {{"k", text_of_value}}).substr(35);
  };
  CHECK(value("plain/path-1.0:x") == "plain/path-1.0:x");
  CHECK(value("two words") == "\"two words\"");
  CHECK(value("a=b") == "\"a=b\"");
  CHECK(value("say \"hi\"") == R"("say \"hi\"")");
  CHECK(value("back\\slash") == R"("back\\slash")");
}

TEST_CASE("Quotes in a message stay as they are in text: it is a sentence for people") {
  CHECK(text("cannot open \"/x.so\"") == "2026-11-21T04:31:35.007Z INFO  cannot open \"/x.so\"");
}

TEST_CASE("No line can be forged with line ends or control characters") {
  const std::string attack = "x\n2026-11-21T04:31:35.007Z ERROR forged\r\v\f\x1b[31m\x7f\b";
  const std::string escaped =
      "x\\n2026-11-21T04:31:35.007Z ERROR forged\\u000d\\u000b\\u000c\\u001b[31m\\u007f\\u0008";
  CHECK(text(attack) == "2026-11-21T04:31:35.007Z INFO  " + escaped);
  CHECK(text("m", {{"k", attack}}) == "2026-11-21T04:31:35.007Z INFO  m k=\"" + escaped + '"');
  CHECK(json(attack).find("\"message\":\"" + escaped + "\"}") != std::string::npos);
  CHECK(json("m", {{"k", attack}}).find("\"k\":\"" + escaped + "\"}") != std::string::npos);
}

TEST_CASE("A NUL inside a value neither ends the line nor passes raw") {
  using namespace std::string_view_literals;
  CHECK(text("a\0b"sv) == "2026-11-21T04:31:35.007Z INFO  a\\u0000b");
}

TEST_CASE("An object cannot be left by quotes in JSON") {
  CHECK(json("m", {{"k", R"(","level":"error)"}}) ==
        R"({"time":"2026-11-21T04:31:35.007Z","level":"info","message":"m",)"
        R"("k":"\",\"level\":\"error"})");
  CHECK(json("ends with \\").find(R"("message":"ends with \\"})") != std::string::npos);
}

TEST_CASE("Characters that change a terminal or the order of reading are escaped") {
  // U+009B is a terminal's control sequence introducer, U+202E turns the line around, U+2028
  // ends a line for some readers.
  const std::string attack =
      "\xc2\x9b"
      "2J \xe2\x80\xae \xe2\x80\xa8 \xe2\x81\xa6";
  const std::string escaped = "\\u009b2J \\u202e \\u2028 \\u2066";
  CHECK(text("m", {{"k", attack}}).substr(35) == '"' + escaped + '"');
  CHECK(text("m", {{"k", "\xc2\x9b"}}).substr(35) == "\"\\u009b\"");
  CHECK(json(attack).find("\"message\":\"" + escaped + "\"}") != std::string::npos);
}

TEST_CASE("UTF-8 passes as it is in both formats") {
  const std::string name =
      "gr\xc3\xbc\xc3\x9f"
      "e-\xe5\xad\x98-\xf0\x9f\x9a\xa2";
  CHECK(text("m", {{"k", name}}).substr(35) == name);
  CHECK(json("m", {{"k", name}}).find("\"k\":\"" + name + "\"}") != std::string::npos);
}

TEST_CASE("Bytes that are not UTF-8 become the replacement character, each once") {
  const std::string replacement = "\xef\xbf\xbd";
  const struct {
    const char* name;
    std::string bytes;
    size_t replacements;
  } cases[] = {{"a lone continuation byte", "\x80", 1},
               {"a byte that never occurs", "\xff", 1},
               {"an overlong slash of two bytes", "\xc0\xaf", 2},
               {"an overlong slash of three bytes", "\xe0\x80\xaf", 3},
               {"an overlong slash of four bytes", "\xf0\x80\x80\xaf", 4},
               {"a surrogate", "\xed\xa0\x80", 3},
               {"beyond U+10FFFF", "\xf4\x90\x80\x80", 4},
               {"a sequence that is cut off", "\xe5\xad", 2}};
  for (const auto& bad : cases) {
    INFO(bad.name);
    std::string expected;
    for (size_t i = 0; i < bad.replacements; ++i) expected += replacement;
    CHECK(json("m", {{"k", bad.bytes}}).find("\"k\":\"" + expected + "\"}") != std::string::npos);
    CHECK(text("m", {{"k", bad.bytes}}).substr(35) == expected);
  }
}

}  // namespace
}  // namespace longshore::observe
