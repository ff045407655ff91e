// Texts that are cut to a field's limit.
#include "plugins/support/bounded_text.h"

#include <catch2/catch.hpp>
#include <string>

namespace longshore::plugins {
namespace {

TEST_CASE("A text is cut between two characters") {
  const std::string euro = "\xe2\x82\xac";
  CHECK(bounded_text("ab" + euro, 5) == "ab" + euro);
  CHECK(bounded_text("ab" + euro, 4) == "ab");
  CHECK(bounded_text("ab" + euro + "c", 5) == "ab" + euro);
  CHECK(bounded_text("\xf0\x9f\x9a\xa2x", 4) == "\xf0\x9f\x9a\xa2");
  CHECK(bounded_text("\xc3\xa4", 1).empty());
  CHECK(bounded_text("abc", 0).empty());
  CHECK(bounded_text("", 9).empty());
}

TEST_CASE("Bytes that are no UTF-8 are replaced by one each") {
  CHECK(bounded_text("a\xff"
                     "b",
                     9) == "a?b");
  CHECK(bounded_text("\xe2\x82", 9) == "??");  // ends too early
  CHECK(bounded_text("\xe2\x82"
                     "a",
                     9) == "??a");                  // goes on otherwise
  CHECK(bounded_text("\xc0\x80", 9) == "??");       // longer than needed
  CHECK(bounded_text("\xe0\x80\x80", 9) == "???");  // the same
  CHECK(bounded_text("\xf0\x8f\xbf\xbf", 9) == "????");
  CHECK(bounded_text("\xed\xa0\x80", 9) == "???");       // half of a pair
  CHECK(bounded_text("\xf4\x90\x80\x80", 9) == "????");  // beyond Unicode
  CHECK(bounded_text("\xff\xff\xff", 2) == "??");
}

}  // namespace
}  // namespace longshore::plugins
