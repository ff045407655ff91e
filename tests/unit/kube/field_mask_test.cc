// Which members of an object a mask lets through, and what is no mask.
#include "kube/field_mask.h"

#include <catch2/catch.hpp>

#include "kube/object.h"

namespace longshore::kube {
namespace {

using Catch::Matchers::Contains;
using Fields = std::vector<std::string>;

// Of a claim with a bit of all.
std::string masked(const Fields& fields) {
  const auto mask = FieldMask::make(fields);
  REQUIRE(mask);
  return mask->masked(
      R"({"apiVersion":"v1","kind":"Claim","metadata":{"name":"a","labels":{"l":"1"},)"
      R"("annotations":{"b.example/x":"2","c":"\"}"},"finalizers":["f"]},)"
      R"("spec":{"csi":{"handle":"h","attributes":{"size":"1"}},"modes":[{"csi":1},2],"text":"t"},)"
      R"("status":{"phase":"Bound"}})");
}

const std::string kAlways =
    R"({"apiVersion":"v1","kind":"Claim","metadata":{"name":"a","finalizers":["f"]})";

TEST_CASE("A field is delivered with all below it, and with what is always there") {
  const auto [fields, rest] = GENERATE(table<Fields, std::string>({
      {{"spec.csi"}, R"(,"spec":{"csi":{"handle":"h","attributes":{"size":"1"}}}})"},
      {{"spec.csi.attributes.size"}, R"(,"spec":{"csi":{"attributes":{"size":"1"}}}})"},
      {{"status", "spec.text"}, R"(,"spec":{"text":"t"},"status":{"phase":"Bound"}})"},
      {{"spec.text", "spec"},
       R"(,"spec":{"csi":{"handle":"h","attributes":{"size":"1"}},"modes":[{"csi":1},2],"text":"t"}})"},
      {{"spec.modes"}, R"(,"spec":{"modes":[{"csi":1},2]}})"},
      {{"spec.none"}, R"(,"spec":{}})"},
      {{"none", "spe", "kind.x", "metadata.name.x"}, "}"},
  }));
  CAPTURE(fields);
  CHECK(masked(fields) == kAlways + rest);
}

TEST_CASE("Labels and annotations are delivered to who names them") {
  const std::string begin = R"({"apiVersion":"v1","kind":"Claim","metadata":{"name":"a",)";
  CHECK(masked({"metadata.labels"}) == begin + R"("labels":{"l":"1"},"finalizers":["f"]}})");
  CHECK(masked({"metadata.annotations.c"}) ==
        begin + R"("annotations":{"c":"\"}"},"finalizers":["f"]}})");
  CHECK(masked({"metadata"}) == begin + R"("labels":{"l":"1"},"annotations":{"b.example/x":"2",)" +
                                    R"("c":"\"}"},"finalizers":["f"]}})");
}

TEST_CASE("Without fields an object stays as it is") {
  const std::string text = R"({"metadata":{"name":"a","labels":{}},"data":{"x":1}})";
  CHECK(FieldMask().masked(text) == text);
  const auto none = FieldMask::make({});
  REQUIRE(none);
  CHECK(none->masked(text) == text);
}

// A reader that wants spec.csi says that the spec is a text; it would find none at all otherwise.
TEST_CASE("What a field leads through and is no object is delivered as it is") {
  const auto mask = FieldMask::make({"spec.csi.handle"});
  REQUIRE(mask);
  for (const std::string text : {R"({"metadata":{"name":"a"},"spec":"text"})",
                                 R"({"metadata":{"name":"a"},"spec":{"csi":[{"handle":1}]}})",
                                 R"({"metadata":{"name":"a"},"spec":{"csi":null}})"}) {
    CHECK(mask->masked(text) == text);
  }
}

TEST_CASE("What is no field is refused with a reason") {
  const auto [field, why] = GENERATE(table<std::string, std::string>({
      {"", "empty"},
      {".", "empty"},
      {".spec", "empty"},
      {"spec.", "empty"},
      {"spec..csi", "empty"},
      {std::string(201, 'x'), "200 bytes"},
  }));
  const auto mask = FieldMask::make({"spec", field});
  REQUIRE_FALSE(mask);
  CHECK(mask.error().code() == StatusCode::kInvalidArgument);
  CHECK_THAT(mask.error().message(), Contains(why));
}

TEST_CASE("Fifty fields are taken, and no more") {
  Fields fields;
  for (int i = 0; i < 50; ++i) fields.push_back("spec." + std::to_string(i));
  CHECK(FieldMask::make(fields));
  fields.push_back("spec.50");
  const auto mask = FieldMask::make(fields);
  REQUIRE_FALSE(mask);
  CHECK_THAT(mask.error().message(), Contains("50"));
}

}  // namespace
}  // namespace longshore::kube
