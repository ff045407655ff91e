// Objects and pages of lists: what is kept of them, and what is none.
#include "kube/object.h"

#include <catch2/catch.hpp>

#include "kube/raw_json.h"

namespace longshore::kube {
namespace {

TEST_CASE("An object is kept as compact JSON without managedFields, and all else as it is") {
  const auto object = parse_object(R"( {
    "kind" : "Claim", "metadata": {"name": "a", "managedFields": [{"manager": "x, \"}"}],
      "namespace": "default", "resourceVersion": "12"},
    "spec": {"big": 12345678901234567890123, "real": 1.10, "text": "two  blanks \\\" \u00e9",
             "managedFields": [], "none": null, "list": [ 1 , 2 ], "deep": {"metadata": {}} }
  } )");
  REQUIRE(object);
  CHECK(object->key == "default/a");
  CHECK(object->resource_version == "12");
  CHECK(object->json ==
        R"({"kind":"Claim","metadata":{"name":"a","namespace":"default","resourceVersion":"12"},)"
        R"("spec":{"big":12345678901234567890123,"real":1.10,"text":"two  blanks \\\" \u00e9",)"
        R"("managedFields":[],"none":null,"list":[1,2],"deep":{"metadata":{}}}})");
}

TEST_CASE("managedFields go wherever they stand, and names are read with their escapes") {
  for (const std::string metadata : {R"("managedFields":[],"name":"\u0061","uid":"1")",
                                     R"("name":"\u0061","managedFields":[{"f":{}}],"uid":"1")",
                                     R"("name":"\u0061","uid":"1","managedFields":null)"}) {
    const auto object = parse_object("{\"metadata\":{" + metadata + "}}");
    REQUIRE(object);
    CHECK(object->key == "a");
    CHECK(object->json == R"({"metadata":{"name":"\u0061","uid":"1"}})");
  }
}

TEST_CASE("What is no object is refused") {
  for (const std::string text :
       {"", " ", "null", "[]", "\"metadata\"", "{}", "{\"metadata\":[]}", "{\"metadata\":{}}",
        R"({"metadata":{"name":""}})", R"({"metadata":{"name":7}})", R"({"metadata":{"name":"a"})",
        R"({"metadata":{"name":"a"}}})", R"({"metadata":{"name":"a"},})",
        R"({"metadata":{"name":"a"},"spec":tru})", "{\"metadata\":{\"name\":\"\xff\"}}"}) {
    INFO(text);
    const auto object = parse_object(text);
    REQUIRE_FALSE(object);
    CHECK(object.error().code() == StatusCode::kDataLoss);
  }
}

TEST_CASE("A page has its version, the next page's token, and objects with their kind") {
  const auto page = parse_object_page(
      R"({"kind":"NodeList","apiVersion":"v1","metadata":{"resourceVersion":"90","continue":"t"},)"
      R"("items":[{"metadata":{"name":"a","resourceVersion":"5"}},)"
      R"({"apiVersion":"x/v2","kind":"Other","metadata":{"name":"b","resourceVersion":"6"}}]})");
  REQUIRE(page);
  CHECK(page->resource_version == "90");
  CHECK(page->next == "t");
  REQUIRE(page->objects.size() == 2);
  // As a watch would bring it.
  CHECK(page->objects[0].json ==
        R"({"kind":"Node","apiVersion":"v1","metadata":{"name":"a","resourceVersion":"5"}})");
  CHECK(page->objects[1].json ==
        R"({"apiVersion":"x/v2","kind":"Other","metadata":{"name":"b","resourceVersion":"6"}})");
}

TEST_CASE("A page of nothing is a page, also where items are null") {
  for (const std::string items : {"", R"(,"items":null)", R"(,"items":[])", R"(,"items":[ ])"}) {
    const auto page = parse_object_page(
        R"({"kind":"List","apiVersion":"v1","metadata":{"resourceVersion":"1"})" + items + "}\n");
    REQUIRE(page);
    CHECK(page->objects.empty());
    CHECK(page->next.empty());
  }
}

TEST_CASE("What is no page is refused") {
  for (const std::string text :
       {"", "{}", R"({"kind":"Node","metadata":{"resourceVersion":"1"},"items":[]})",
        R"({"kind":"NodeList","metadata":{},"items":[]})",
        R"({"kind":"NodeList","metadata":{"resourceVersion":"1"},"items":[7]})",
        R"({"kind":"NodeList","metadata":{"resourceVersion":"1"},"items":[)"}) {
    INFO(text);
    const auto page = parse_object_page(text);
    REQUIRE_FALSE(page);
    CHECK(page.error().code() == StatusCode::kDataLoss);
  }
}

TEST_CASE("JSON that is deeper than any object is refused, and not followed") {
  const std::string deep(100'000, '[');
  CHECK_FALSE(is_json(deep));
  CHECK_FALSE(is_json(deep + std::string(deep.size(), ']')));
}

}  // namespace
}  // namespace longshore::kube
