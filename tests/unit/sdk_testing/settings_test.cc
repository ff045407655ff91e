#include <catch2/catch.hpp>

#include "tests/unit/sdk_testing/echo_module.h"
#include "tests/unit/sdk_testing/liar.h"

namespace longshore::testing {
namespace {

using namespace echo::v1;

std::string greeting_of(FakeHost& host) {
  return host.call<DescribeResponse>(echo_method("Describe"), DescribeRequest())->greeting();
}

TEST_CASE("settings that a test does not give have their defaults") {
  FakeHost host(echo_entry());
  REQUIRE(host.start().ok());
  CHECK(greeting_of(host) == "hello");
}

TEST_CASE("settings that a test gives reach the module") {
  FakeHost host(echo_entry());
  REQUIRE(host.start({.settings = {{"greeting", "good day"}}}).ok());
  CHECK(greeting_of(host) == "good day");
}

TEST_CASE("settings that are no message reach the module as they are") {
  FakeHost host(echo_entry());
  const auto started = host.start_bytes("\xff");
  REQUIRE_FALSE(started);
  CHECK(started.error().code() == StatusCode::kInvalidArgument);
  CHECK_FALSE(host.start_bytes("").ok());  // there is no second time
  CHECK(host.end().empty());
}

// A description with one option for each rule that the agent checks.
module::v1::Description description_of_rules() {
  module::v1::Description description;
  const auto add = [&](const char* name, module::v1::OptionType type) {
    module::v1::Option& option = *description.add_options();
    option.set_name(name);
    option.set_type(type);
    return &option;
  };
  module::v1::Option* const size = add("size", module::v1::OPTION_TYPE_INT);
  size->set_has_range(true);
  size->set_min(1);
  size->set_max(5);
  add("color", module::v1::OPTION_TYPE_STRING)->add_one_of("red");
  add("names", module::v1::OPTION_TYPE_STRINGS);
  add("period", module::v1::OPTION_TYPE_DURATION);
  add("share", module::v1::OPTION_TYPE_FLOAT);
  add("loud", module::v1::OPTION_TYPE_BOOL);
  return description;
}

std::string refusal_of(const module::v1::Description& description,
                       std::map<std::string, SettingValue> settings) {
  Liar liar;
  liar.describe(description);
  FakeHost host(liar.entry());
  const auto started = host.start({.settings = std::move(settings)});
  return started ? "" : started.error().message();
}

TEST_CASE("settings that the agent would refuse are refused") {
  const auto description = description_of_rules();
  CHECK(refusal_of(description, {{"size", 5},
                                 {"color", "red"},
                                 {"names", std::vector<std::string>{"a", "b"}},
                                 {"period", std::chrono::seconds(1)},
                                 {"share", 0.5},
                                 {"loud", true}}) == "");
  CHECK_THAT(refusal_of(description, {{"size", 6}}),
             Catch::Contains("\"size\": it is out of range"));
  CHECK_THAT(refusal_of(description, {{"size", 0}}), Catch::Contains("out of range"));
  CHECK_THAT(refusal_of(description, {{"size", "5"}}), Catch::Contains("another type"));
  CHECK_THAT(refusal_of(description, {{"period", 5}}), Catch::Contains("another type"));
  CHECK_THAT(refusal_of(description, {{"color", "green"}}), Catch::Contains("\"green\" is none"));
  CHECK_THAT(refusal_of(description, {{"colour", "red"}}),
             Catch::Contains("\"colour\": the description has no such option"));
}

TEST_CASE("a required setting has to be given") {
  module::v1::Description description;
  module::v1::Option& option = *description.add_options();
  option.set_name("server");
  option.set_type(module::v1::OPTION_TYPE_STRING);
  option.set_required(true);
  CHECK_THAT(refusal_of(description, {}), Catch::Contains("it is required"));
  CHECK(refusal_of(description, {{"server", "a"}}) == "");
}

}  // namespace
}  // namespace longshore::testing
