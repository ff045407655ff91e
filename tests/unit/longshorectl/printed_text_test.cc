#include "tools/longshorectl/printed_text.h"

#include <catch2/catch.hpp>

#include "tools/longshorectl/paint.h"

namespace longshore::ctl {
namespace {

TEST_CASE("own words are printed as they are, and values are made harmless") {
  struct Case {
    std::string value;
    std::string printed;
  };
  const Case cases[] = {
      {"plain \xc3\xbc \xf0\x9f\x9a\xa2", "plain \xc3\xbc \xf0\x9f\x9a\xa2"},
      {"\x1b[31mred", "\\u001b[31mred"},
      {"\xc2\x9b"
       "31m",
       "\\u009b31m"},
      {"two\nlines\r", "two\\nlines\\u000d"},
      {"\xe2\x80\xae"
       "txt.exe",
       "\\u202etxt.exe"},
      {"\xe2\x81\xa6\xe2\x81\xa9\xe2\x80\x8e\xd8\x9c", "\\u2066\\u2069\\u200e\\u061c"},
      {"\xe2\x80\xa8\xe2\x80\xa9", "\\u2028\\u2029"},
      {"\x7f\b", "\\u007f\\u0008"},
      {"\xff", "\xef\xbf\xbd"},
      {std::string(1, '\0'), "\\u0000"},
  };
  for (const Case& each : cases) {
    CHECK(PrintedText(each.value).bytes() == each.printed);
    CHECK(("own\n" + PrintedText(each.value) + "\n").bytes() == "own\n" + each.printed + "\n");
    CHECK((PrintedText("own\n") + each.value).bytes() == "own\n" + each.printed);
    const std::string painted = Paint(true)(Tone::kBad, each.value).bytes();
    CHECK(painted == "\x1b[31m" + each.printed + "\x1b[0m");
  }
}

TEST_CASE("JSON stays the same JSON") {
  CHECK(PrintedText::json("{\n  \"a\": \"\xe2\x81\xa6\\n\xc2\x9b\"\n}").bytes() ==
        "{\n  \"a\": \"\\u2066\\n\\u009b\"\n}");
}

TEST_CASE("of several lines of others, none passes for one of ours") {
  CHECK(PrintedText::paragraph("a\nOK\r\n").bytes() == "a\n  OK\\u000d\n  ");
  CHECK(PrintedText::lines("a\nb\x1b").bytes() == "a\nb\\u001b");
}

TEST_CASE("a text is as wide as its characters") {
  CHECK(PrintedText("\xc2\xb5s").width() == 2);
  CHECK(PrintedText(std::string("\n")).width() == 2);
  CHECK(PrintedText().width() == 0);
}

}  // namespace
}  // namespace longshore::ctl
