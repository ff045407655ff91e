#include "observe/json_text.h"

#include <catch2/catch.hpp>
#include <vector>

namespace longshore::observe {
namespace {

// What `body` writes into one object.
template <typename Body>
std::string object(const Body& body) {
  JsonText json;
  json.object([&] { body(json); });
  return json.take();
}

TEST_CASE("An object has its members in their order, with commas between them") {
  CHECK(object([](JsonText&) {}) == "{}");
  CHECK(object([](JsonText& json) {
          json.member("text", "t");
          json.member("number", uint64_t{18446744073709551615u});
          json.member("took_ms", std::chrono::milliseconds(-5));
          json.flag("yes", true);
          json.flag("no", false);
          json.raw("inner", "{\"a\":1}");
        }) == R"({"text":"t","number":18446744073709551615,"took_ms":-5,"yes":true,"no":false,)"
              R"("inner":{"a":1}})");
}

TEST_CASE("Objects and arrays nest") {
  const std::vector<std::string> words = {"a", "b"};
  CHECK(object([&](JsonText& json) {
          json.array("words", words, [&](const std::string& word) { json.text(word); });
          json.array("none", std::vector<int>(), [](int) {});
          json.array("objects", words, [&](const std::string& word) {
            json.object([&] { json.member("word", word); });
          });
          json.member_object("empty", [] {});
          json.flag("last", true);
        }) == R"({"words":["a","b"],"none":[],"objects":[{"word":"a"},{"word":"b"}],"empty":{},)"
              R"("last":true})");
}

TEST_CASE("Decimals have the digits that were asked for, and no exponent") {
  const auto decimal = [](double value, int digits) {
    const std::string json = object([&](JsonText& text) { text.decimal("d", value, digits); });
    return json.substr(5, json.size() - 6);
  };
  CHECK(decimal(0, 3) == "0.000");
  CHECK(decimal(1.0005, 6) == "1.000500");
  CHECK(decimal(0.0000004, 6) == "0.000000");
  CHECK(decimal(1e15, 1) == "1000000000000000.0");
}

TEST_CASE("Texts and names leave no quotes, and what they hold can be read") {
  CHECK(quoted("") == "\"\"");
  CHECK(quoted("a \"b\" \\ \n \x1b \xff \xe2\x80\xae") ==
        "\"a \\\"b\\\" \\\\ \\n \\u001b \xef\xbf\xbd \\u202e\"");
  CHECK(object([](JsonText& json) { json.member("k\"", "v\""); }) == R"({"k\"":"v\""})");
}

}  // namespace
}  // namespace longshore::observe
