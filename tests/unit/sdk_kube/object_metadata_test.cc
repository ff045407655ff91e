#include "longshore/kube/object_metadata.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

namespace longshore::kubernetes {
namespace {

TEST_CASE("The metadata of an object is read") {
  JsonDocument document("Claim", R"({"metadata": {"name": "c", "namespace": "ns", "uid": "u",
      "resourceVersion": "12", "deletionTimestamp": "2026-01-02T03:04:05Z",
      "finalizers": ["a", "b"], "labels": {"x": "y"}}})");
  const ObjectMetadata metadata = read_metadata(document);
  REQUIRE(document.check());
  CHECK(metadata == ObjectMetadata{.name = "c",
                                   .name_space = "ns",
                                   .resource_version = "12",
                                   .is_being_deleted = true,
                                   .finalizers = {"a", "b"}});
  CHECK(metadata.key() == "ns/c");
  CHECK(metadata.has_finalizer("b"));
  CHECK_FALSE(metadata.has_finalizer("c"));

  JsonDocument of_node("Node", R"({"metadata": {"name": "n", "namespace": null}})");
  CHECK(read_metadata(of_node) == ObjectMetadata{.name = "n"});
  CHECK(read_metadata(of_node).key() == "n");
}

TEST_CASE("An object whose metadata is none is refused with a sentence") {
  const std::vector<std::pair<std::string, std::string>> table = {
      {"", "cannot read the Claim: it is no JSON: incomplete JSON"},
      {"{\"metadata\": {\"name\": \"\xff\"}}", "it is no JSON: syntax error"},
      {"[]", "cannot read the Claim: it is a list"},
      {std::string(101, '['), "it is no JSON: too deep"},
      {"{}", "cannot read the Claim: metadata.name is missing"},
      {R"({"metadata": {"name": ""}})", "metadata.name is empty"},
      {R"({"metadata": {"name": 7}})", "metadata.name is a number, not a string"},
      {R"({"metadata": [{"name": "a"}]})", "metadata is a list, not an object"},
      {R"({"metadata": {"name": "a", "namespace": {}}})",
       "cannot read the Claim \"a\": metadata.namespace is an object, not a string"},
      {R"({"metadata": {"name": "a", "resourceVersion": 12}})",
       "metadata.resourceVersion is a number, not a string"},
      {R"({"metadata": {"name": "a", "namespace": "ns", "finalizers": "x"}})",
       "cannot read the Claim \"ns/a\": metadata.finalizers is a string, not a list"},
      {R"({"metadata": {"namespace": "ns"}})", "cannot read the Claim: metadata.name is missing"},
      {R"({"metadata": {"name": "a", "deletionTimestamp": true}})",
       "metadata.deletionTimestamp is a boolean, not a string"},
      {R"({"metadata": {"name": "a", "finalizers": {}}})",
       "metadata.finalizers is an object, not a list"},
      {R"({"metadata": {"name": "a", "finalizers": ["x", null]}})",
       "metadata.finalizers[1] is null, not a string"}};
  for (const auto& [json, sentence] : table) {
    INFO(json);
    JsonDocument document("Claim", json);
    read_metadata(document);
    REQUIRE_FALSE(document.check());
    CHECK(document.check().error().code() == StatusCode::kFailedPrecondition);
    CHECK_THAT(document.check().error().message(), Catch::Contains(sentence));
  }
}

TEST_CASE("A member's name is taken as it is") {
  JsonDocument document("Claim", R"({"metadata": {"name": "c", "annotations":
      {"acme.example/size": "big"}}, "acme": {"example/size": "small"}})");
  const JsonFields root = document.root();
  CHECK(root.object("metadata").object("annotations").text("acme.example/size") == "big");
  CHECK(root.text("acme.example/size").empty());
  CHECK(document.check());
}

TEST_CASE("Resource versions are numbers without a limit") {
  CHECK(is_newer("10", "9"));
  CHECK(is_newer("123456789012345678901234567890", "99999999999999999999"));
  CHECK(is_newer("1", ""));
  CHECK_FALSE(is_newer("9", "10"));
  CHECK_FALSE(is_newer("12", "12"));
}

TEST_CASE("Resource versions that are no numbers have no order") {
  for (const auto& [one, other] :
       {std::pair("zz9", "ab1"), {"b", "7"}, {"7", "a"}, {"a", ""}, {"012", "3"}, {"-2", "1"}}) {
    INFO(one << ' ' << other);
    CHECK_FALSE(is_newer(one, other));
    if (*other != '\0') CHECK_FALSE(is_newer(other, one));
  }
}

}  // namespace
}  // namespace longshore::kubernetes
