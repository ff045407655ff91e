// What Go's packages flag and time make of words.
#include "main/go_flags.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <string>

namespace longshore::go {
namespace {

using namespace std::chrono_literals;

TEST_CASE("durations are sums of numbers with units, as Go writes them") {
  const auto [text, duration] = GENERATE(table<std::string, std::chrono::nanoseconds>({
      {"0", 0ns},
      {"30s", 30s},
      {"1m30s", 90s},
      {"1.5h", 90min},
      {"2h45m0.5s", 2h + 45min + 500ms},
      {".5s", 500ms},
      {"1.s", 1s},
      {"+3s", 3s},
      {"300ms", 300ms},
      {"7us", 7us},
      {"7\u00b5s", 7us},
      {"12ns", 12ns},
      {"2562047h", 2562047h},
      {"9223372036s", 9223372036s},
  }));
  CAPTURE(text);
  REQUIRE(parse_duration(text));
  CHECK(*parse_duration(text) == duration);
}

TEST_CASE("what is no duration, or none that anything could last, is refused") {
  const std::string text =
      GENERATE("", "+", "3", "s", ".s", "-3s", "3 s", "3s ", "1d", "1m30", "1..5s", "2562048h",
               "2562047.9h", "9999999999999999999s", "2562047h2562047h", "1e3s", "soon");
  CAPTURE(text);
  CHECK_FALSE(parse_duration(text));
}

TEST_CASE("numbers are whole words") {
  CHECK(parse_int("-12") == -12);
  CHECK(parse_int("+12") == 12);
  CHECK(parse_float("0.5") == 0.5);
  CHECK(parse_float("1e3") == 1000.0);
  for (const char* text : {"", "+", "+-1", "1.5", "12x", " 1", "0x10", "9223372036854775808"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_int(text));
  }
  for (const char* text : {"", "1,5", "inf", "nan", "1e999"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_float(text));
  }
}

}  // namespace
}  // namespace longshore::go
