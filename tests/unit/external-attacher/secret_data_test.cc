// What a Secret holds, where it is, and what is said of one that is none.
#include "plugins/support/secret_data.h"

#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

namespace longshore::plugins {
namespace {

TEST_CASE("The data of a Secret are its bytes, whatever they are") {
  const auto data = parse_secret_data(R"({"kind": "Secret", "metadata": {"name": "s"},
      "data": {"user": "YWI=", "key": "AP+A", "one": "/w==", "none": ""}, "type": "Opaque"})");
  REQUIRE(data);
  REQUIRE(data->size() == 4);
  CHECK(data->at("user").text() == "ab");
  CHECK(data->at("key").text() == std::string("\x00\xff\x80", 3));
  CHECK(data->at("one").text() == "\xff");
  CHECK(data->at("none").empty());
  CHECK(parse_secret_data(R"({"metadata": {"name": "s"}})")->empty());
}

TEST_CASE("A Secret that is none is refused without its values") {
  const std::vector<std::pair<std::string, std::string>> table = {
      {R"({"k": "YQ"})", "data.k is not base64"},
      {R"({"k": "YQ=a"})", "data.k is not base64"},
      {R"({"k": "YQ==YQ=="})", "data.k is not base64"},
      {R"({"k": "===="})", "data.k is not base64"},
      {R"({"k": "YQ\n="})", "data.k is not base64"},
      {R"({"k": 4711})", "data.k is a number, not a string"},
      {R"(["YWI="])", "data is a list, not an object"}};
  for (const auto& [json, sentence] : table) {
    INFO(json);
    const auto data = parse_secret_data(R"({"metadata": {"name": "s"}, "data": )" + json + "}");
    REQUIRE_FALSE(data);
    CHECK(data.error().message() == "cannot read the Secret \"s\": " + sentence);
  }
}

TEST_CASE("A Secret is asked for by its path, and by no name that leads elsewhere") {
  CHECK(secret_path({.name = "s", .name_space = "ns"}).value() ==
        "/api/v1/namespaces/ns/secrets/s");
  for (const std::string name : {"", ".", "..", "a/b", "a%2fb", "a?b", "a#b"}) {
    INFO(name);
    CHECK_FALSE(secret_path({.name = name, .name_space = "ns"}).ok());
    CHECK_FALSE(secret_path({.name = "s", .name_space = name}).ok());
  }
}

}  // namespace
}  // namespace longshore::plugins
