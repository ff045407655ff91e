#include "config/toml_text.h"

#include <catch2/catch.hpp>

namespace longshore::config {

using namespace std::chrono_literals;

TEST_CASE("a duration is a decimal number and a unit") {
  CHECK(parse_duration("30s") == 30s);
  CHECK(parse_duration("250ms") == 250ms);
  CHECK(parse_duration("10m") == 10min);
  CHECK(parse_duration("2h") == 2h);
  CHECK(parse_duration("1.5s") == 1500ms);
  CHECK(parse_duration("0.25h") == 15min);
  CHECK(parse_duration("0.000001ms") == 1ns);
  CHECK(parse_duration("1.000000000s") == 1s);
  CHECK(parse_duration("0s") == 0s);
}

TEST_CASE("what is not exactly a duration is refused") {
  const auto* text = GENERATE("", "s", "30", "30 s", " 30s", "30s ", "-1s", "+1s", "1e3s", ".5s",
                              "5.s", "1.2.3s", "1h30m", "30S", "30sec", "5d", "5us", "0x10s",
                              "\u0665s", "0.0000001ms", "1.0000000001s");
  CAPTURE(text);
  CHECK_FALSE(parse_duration(text).has_value());
}

TEST_CASE("a duration that does not fit nanoseconds is refused") {
  CHECK(parse_duration("2562047h") == 2562047h);
  CHECK(parse_duration("9223372036.854775807s") == std::chrono::nanoseconds::max());
  CHECK_FALSE(parse_duration("2562048h").has_value());
  CHECK_FALSE(parse_duration("9223372036.854775808s").has_value());
  CHECK_FALSE(parse_duration("9223372036854775807s").has_value());
  CHECK_FALSE(parse_duration("99999999999999999999999999999999s").has_value());
  CHECK_FALSE(parse_duration(std::string(100'000, '9') + "h").has_value());
}

TEST_CASE("what is written for a duration reads as the same duration") {
  CHECK(duration_text(0s) == "0s");
  CHECK(duration_text(90s) == "90s");
  CHECK(duration_text(2h) == "2h");
  CHECK(duration_text(1500ms) == "1500ms");
  CHECK(duration_text(1500us) == "1.5ms");
  const auto duration = GENERATE(1ns, 10ns, 999'999ns, 1'000'001ns, 9'223'372'036'000'000'001ns);
  CAPTURE(duration.count());
  CHECK(parse_duration(duration_text(duration)) == duration);
}

TEST_CASE("a mode is three octal digits, after a 0 or not") {
  CHECK(parse_mode("0660") == 0660);
  CHECK(parse_mode("660") == 0660);
  CHECK(parse_mode("0000") == 0);
  CHECK(parse_mode("0777") == 0777);
  CHECK(mode_text(0640) == "0640");
  const auto* text = GENERATE("", "0", "66", "0o660", "1777", "0668", "06600", "-660", " 660");
  CAPTURE(text);
  CHECK_FALSE(parse_mode(text).has_value());
}

TEST_CASE("strings are written so that they read as the same string on one line") {
  CHECK(in_quotes("a\"b\\c") == "\"a\\\"b\\\\c\"");
  CHECK(in_quotes(std::string("\n\t\r\x1b\x7f\0", 6)) == "\"\\n\\t\\u000d\\u001b\\u007f\\u0000\"");
  CHECK(in_quotes("gr\u00f6\u00dfe") == "\"gr\u00f6\u00dfe\"");
  CHECK(in_quotes(std::vector<std::string>{}) == "[]");
  CHECK(in_quotes(std::vector<std::string>{"a", "b\n"}) == "[\"a\", \"b\\n\"]");
}

TEST_CASE("a key is written in quotes only where TOML asks for them") {
  CHECK(joined("", "agent") == "agent");
  CHECK(joined("modules", "disk_2-a") == "modules.disk_2-a");
  CHECK(joined("methods", "v1.Disk/Get") == "methods.\"v1.Disk/Get\"");
  CHECK(joined("modules", "") == "modules.\"\"");
}

}  // namespace longshore::config
