// Requests as the audit log tells them: by descriptors, without what is secret or unknown.
#include "router/message_schema.h"

#include <catch2/catch.hpp>

namespace longshore::router {
namespace {

using namespace std::string_literals;

// message Inner { string word = 1; string password = 2 [secret]; Inner inner = 3; }
// message Outer { ... }
struct Schemas {
  MessageSchemas all;
  const MessageSchema& outer;

  Schemas() : outer(all[".t.Outer"]) {
    MessageSchema& inner = all[".t.Inner"];
    inner.fields = {{1, {"word", 9, false, false, nullptr}},
                    {2, {"password", 9, false, true, nullptr}},
                    {3, {"inner", 11, false, false, &inner}}};
    all[".t.Outer"].fields = {
        {1, {"path", 9, false, false, nullptr}},    {2, {"secret_key", 12, false, true, nullptr}},
        {3, {"count", 5, false, false, nullptr}},   {4, {"size", 3, false, false, nullptr}},
        {5, {"flags", 13, true, false, nullptr}},   {6, {"inner", 11, false, false, &inner}},
        {7, {"inners", 11, true, false, &inner}},   {8, {"blob", 12, false, false, nullptr}},
        {9, {"ratio", 1, false, false, nullptr}},   {10, {"delta", 18, false, false, nullptr}},
        {11, {"force", 8, false, false, nullptr}},  {12, {"secret_parts", 11, true, true, &inner}},
        {13, {"offset", 15, false, false, nullptr}}};
  }

  RedactedJson told(const std::string& bytes, size_t max_bytes = 1000) const {
    return json_without_secrets(outer, bytes, max_bytes);
  }
  // Of what is told whole.
  std::string json(const std::string& bytes, size_t max_bytes = 1000) const {
    const RedactedJson whole = told(bytes, max_bytes);
    CHECK(whole.is_whole);
    return whole.json;
  }
  std::string cut_json(const std::string& bytes, size_t max_bytes = 1000) const {
    const RedactedJson part = told(bytes, max_bytes);
    CHECK_FALSE(part.is_whole);
    CHECK(part.json.size() <= max_bytes);
    return part.json;
  }
};

}  // namespace

TEST_CASE("fields are told with their names, in the order of their numbers") {
  const Schemas schemas;
  CHECK(schemas.json("") == "{}");
  CHECK(schemas.json("\x18\x05\x0a\x02/x"s) == R"({"path":"/x","count":5})");
  CHECK(schemas.json("\x20\x80\x80\x80\x80\x10"s) == R"({"size":"4294967296"})");
  CHECK(schemas.json("\x18\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"s) == R"({"count":-1})");
  CHECK(schemas.json("\x2a\x03\x01\x02\x03\x28\x04"s) == R"({"flags":[1,2,3,4]})");
  CHECK(schemas.json("\x42\x03\x00\x01\x02"s) == "{\"blob\":\"(3 bytes)\"}");
  CHECK(schemas.json("\x49\x00\x00\x00\x00\x00\x00\xf8\x3f"s) == R"({"ratio":1.5})");
  CHECK(schemas.json("\x49\x00\x00\x00\x00\x00\x00\xf0\xff"s) == R"({"ratio":"-Infinity"})");
  CHECK(schemas.json("\x50\x03"s) == R"({"delta":"-2"})");
  CHECK(schemas.json("\x58\x01"s) == R"({"force":true})");
  CHECK(schemas.json("\x6d\xfe\xff\xff\xff"s) == R"({"offset":-2})");
}

TEST_CASE("the last of a single value counts, and pieces of a message are merged") {
  const Schemas schemas;
  CHECK(schemas.json("\x0a\x01"
                     "a\x0a\x01"
                     "b"s) == R"({"path":"b"})");
  CHECK(schemas.json("\x32\x03\x0a\x01w\x32\x05\x1a\x03\x0a\x01v"s) ==
        R"({"inner":{"word":"w","inner":{"word":"v"}}})");
  CHECK(schemas.json("\x3a\x03\x0a\x01w\x3a\x00"s) == R"({"inners":[{"word":"w"},{}]})");
}

TEST_CASE("what is secret is left out wherever it stands, and so is what nobody described") {
  const Schemas schemas;
  CHECK(schemas.json("\x12\x03key\x18\x01"s) == R"({"count":1})");
  CHECK(schemas.json("\x10\x05\x18\x01"s) == R"({"count":1})");  // as a number
  CHECK(schemas.json("\x32\x09\x0a\x01w\x12\x04hush"s) == R"({"inner":{"word":"w"}})");
  CHECK(schemas.json("\x3a\x0b\x1a\x09\x0a\x01w\x12\x04hush"s) ==
        R"({"inners":[{"inner":{"word":"w"}}]})");
  CHECK(schemas.json("\x62\x03\x0a\x01w"s) == "{}");                     // a message that is secret
  CHECK(schemas.json("\xa2\x01\x04hush\x18\x01"s) == R"({"count":1})");  // number 20
  CHECK(schemas.json("\x08\x01\x18\x01"s) == R"({"count":1})");  // a string that is a number
}

TEST_CASE("texts cannot forge a line") {
  const Schemas schemas;
  CHECK(schemas.json("\x0a\x05\"\n\\\xff\x1b"s).find_first_of("\n\x1b") == std::string::npos);
  CHECK(schemas.json("\x0a\x03\"\n\\"s) == R"({"path":"\"\n\\"})");
}

TEST_CASE("what the module's parser does not take for a field is not told as one") {
  const Schemas schemas;
  CHECK(schemas.json("\x18\x05\x1a\x01\x37"s) == R"({"count":5})");  // 55, packed
  CHECK(schemas.json("\x18\x05\x1d\x37\0\0\0"s) == R"({"count":5})");
  CHECK(schemas.json("\x1a\x00"s) == "{}");
  CHECK(schemas.json("\x2a\x00"s) == R"({"flags":[]})");
  CHECK(schemas.json("\x18\x85\x80\x80\x80\x10"s) == R"({"count":5})");  // 2^32 + 5
  CHECK(schemas.json("\x98\x80\x80\x80\x10\x05"s) == R"({"count":5})");  // and such a tag
}

TEST_CASE("groups, which nobody described, are passed over") {
  const Schemas schemas;
  CHECK(schemas.json("\xa3\x06\xa4\x06\x18\x05"s) == R"({"count":5})");
  CHECK(schemas.json("\x1b\x18\x07\x1c\x18\x05"s) == R"({"count":5})");
  CHECK(schemas.json("\x32\x07\x0a\x01w\xa3\x06\xa4\x06"s) == R"({"inner":{"word":"w"}})");
  CHECK(schemas.json(std::string(9000, '\x1b') + std::string(9000, '\x1c') + "\x18\x05") ==
        R"({"count":5})");
}

TEST_CASE("of what is no message that is told which could be read") {
  const Schemas schemas;
  CHECK(schemas.cut_json("\x18\x05\x0a\x05"
                         "abc"s) == R"({"count":5})");
  CHECK(schemas.cut_json("\x18"s) == "{}");
  CHECK(schemas.cut_json("\x18\x05\x1b"s) == R"({"count":5})");
  CHECK(schemas.cut_json("\x18\x05\x1f"s) == R"({"count":5})");
  CHECK(schemas.cut_json("\x18\x05\x00\x01"s) == R"({"count":5})");  // there is no field 0
  CHECK(schemas.cut_json("\x32\x03\x0a\x05w\x18\x05"s) == R"({"count":5,"inner":{}})");
}

TEST_CASE("nothing long or deep hides the rest") {
  const Schemas schemas;
  const std::string unknown = "\xa2\x01\xa0\x8d\x06" + std::string(100000, 'x');
  CHECK(schemas.json(unknown + "\x18\x05") == R"({"count":5})");
  std::string deep;
  for (int i = 0; i < 40; ++i)
    deep = "\x1a" + std::string(1, static_cast<char>(deep.size())) + deep;
  deep = "\x32" + std::string(1, static_cast<char>(deep.size())) + deep;
  CHECK(schemas.cut_json(deep + "\x18\x05").starts_with(R"({"count":5,"inner":{"inner":{"inner)"));
  CHECK(schemas.cut_json("\x3a" + deep.substr(1)).ends_with(R"({"inner":{}}}}}}}}}}}}}}}}}]})"));
  CHECK(schemas.json("\x0a\x20" + std::string(32, 'x'), 64).size() == 43);
  CHECK(schemas.cut_json("\x0a\x38" + std::string(56, 'x'), 64) ==
        R"({"path":")" + std::string(53, 'x') + R"("})");
  const auto both = schemas.cut_json("\x0a\x38" + std::string(56, 'x') + "\x18\x05", 64);
  CHECK(both.starts_with(R"({"path":"xxxxxxxxxx)"));
  CHECK(both.ends_with(R"(x","count":5})"));
  const auto list = schemas.cut_json("\x2a\x38" + std::string(56, '\x7f') + "\x58\x01", 64);
  CHECK(list.starts_with(R"({"flags":[127,127,)"));
  CHECK(list.ends_with(R"(127],"force":true})"));
  CHECK(schemas.cut_json("\x0a\x38" + std::string(56, '\x01'), 64).ends_with(R"(\u0001"})"));
  CHECK(schemas.cut_json("\x20\xff\xff\xff\xff\xff\xff\xff\x7f", 20) == "{}");
}

TEST_CASE("A message has secrets if one of its fields has, however deep") {
  const Schemas schemas;
  CHECK(has_secrets(schemas.outer));
  CHECK(has_secrets(schemas.all.at(".t.Inner")));
  MessageSchemas all;
  CHECK_FALSE(has_secrets(all["plain"]));
  constexpr int kDepth = 100'000;  // more than a stack has room for
  for (int i = 0; i < kDepth; ++i) {
    all[std::to_string(i)].fields[1] = {"next", 11, false, false, &all[std::to_string(i + 1)]};
  }
  MessageSchema& last = all[std::to_string(kDepth)];
  last.fields[1] = {"first", 11, false, false, &all["0"]};
  last.fields[2] = {"of nobody's", 11, false, false, nullptr};
  CHECK_FALSE(has_secrets(all["0"]));
  last.fields[3] = {"password", 9, false, true, nullptr};
  CHECK(has_secrets(all["0"]));
}

}  // namespace longshore::router
