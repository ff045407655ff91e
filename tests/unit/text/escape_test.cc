// Texts of strangers.
#include "text/escape.h"

#include <catch2/catch.hpp>
#include <cstdint>

namespace longshore::text {
namespace {

std::string utf8(char32_t point) {
  std::string bytes;
  const auto rest = [&](int shift) { bytes += static_cast<char>(0x80 | (point >> shift & 0x3f)); };
  if (point < 0x80) {
    bytes += static_cast<char>(point);
  } else if (point < 0x800) {
    bytes += static_cast<char>(0xc0 | point >> 6);
    rest(0);
  } else {
    bytes += static_cast<char>(0xe0 | point >> 12);
    rest(6);
    rest(0);
  }
  return bytes;
}

TEST_CASE("What could drive a terminal or forge a line is written as an escape, all of it") {
  struct Range {
    uint32_t first, last;
  };
  // C0, DEL and C1; the Arabic letter mark; the marks of direction; separators, embeddings and
  // overrides; isolates.
  constexpr Range kDangerous[] = {{0, 0x1f},        {0x7f, 0x9f},     {0x61c, 0x61c},
                                  {0x200e, 0x200f}, {0x2028, 0x202e}, {0x2066, 0x2069}};
  for (uint32_t point = 0; point < 0x3000; ++point) {
    const bool dangerous = std::ranges::any_of(kDangerous, [&](const Range& range) {
      return range.first <= point && point <= range.last;
    });
    CAPTURE(point);
    REQUIRE(is_dangerous(point) == dangerous);
    const std::string written = escaped("a" + utf8(point) + "b");
    if (!dangerous) {
      REQUIRE(written == "a" + utf8(point) + "b");
    } else if (point == '\n' || point == '\t') {
      REQUIRE(written == (point == '\n' ? "a\\nb" : "a\\tb"));
    } else {
      char expected[16];
      std::snprintf(expected, sizeof(expected), "a\\u%04xb", point);
      REQUIRE(written == expected);
    }
  }
}

TEST_CASE("Lines keep their ends and nothing else that is dangerous") {
  CHECK(escaped_lines("").empty());
  CHECK(escaped_lines("a\nb\n") == "a\nb\n");
  CHECK(escaped_lines("\n\na\r\x1b[2J\n\xc2\x9b") == "\n\na\\u000d\\u001b[2J\n\\u009b");
}

TEST_CASE("Bytes that are not UTF-8 are replaced, with or without escapes") {
  CHECK(escaped("\xff\x9b") == "\xef\xbf\xbd\xef\xbf\xbd");
  CHECK(valid_utf8("a\xff\x1b\xc3\xbc\xe5\xad") ==
        "a\xef\xbf\xbd\x1b\xc3\xbc\xef\xbf\xbd\xef\xbf\xbd");
}

TEST_CASE("With quotes to escape, backslashes are escaped too, so that nothing is ambiguous") {
  std::string line;
  CHECK(append_escaped(line, "\"\\n\"\n", true));
  CHECK(line == "\\\"\\\\n\\\"\\n");
  CHECK_FALSE(append_escaped(line, "plain", true));
}

}  // namespace
}  // namespace longshore::text
