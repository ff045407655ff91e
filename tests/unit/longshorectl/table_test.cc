#include "tools/longshorectl/table.h"

#include <catch2/catch.hpp>

namespace longshore::ctl {
namespace {

TEST_CASE("columns are as wide as their widest cell, and lines end with their text") {
  Table table({"NAME", "STATE"});
  table.add({"a", "serving"});
  table.add({"µµµµµµ", ""});
  table.add({"b", "", "more"});
  CHECK(table.text(Paint(false)).bytes() ==
        "NAME    STATE\n"
        "a       serving\n"
        "µµµµµµ\n"
        "b                more");
}

TEST_CASE("colours take no room") {
  Table table;
  table.add({word_cell("serving"), "x"});
  table.add({"a", "y"});
  CHECK(table.text(Paint(true)).bytes() ==
        "\x1b[32mserving\x1b[0m  x\n"
        "a        y");
  CHECK(Table().text(Paint(true)).empty());
}

TEST_CASE("a cell neither drives the terminal nor leaves its row") {
  Table table;
  table.add({"a\x1b[2J\nb\rc", "d"});
  CHECK(table.text(Paint(true)).bytes() == R"(a\u001b[2J\nb\u000dc  d)");
}

TEST_CASE("columns are as wide as what is shown of hostile cells") {
  Table table;
  table.add({"\xe2\x80\xae", "d"});
  table.add({"a", "\xc2\x9b"});
  CHECK(table.text(Paint(false)).bytes() ==
        "\\u202e  d\n"
        "a       \\u009b");
}

}  // namespace
}  // namespace longshore::ctl
