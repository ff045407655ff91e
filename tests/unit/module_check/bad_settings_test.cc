// What bad settings leave of the command line's.
#include "tools/module_check/bad_settings.h"

#include <catch2/catch.hpp>

#include "longshore/module/v1.pb.h"

namespace longshore::module_check {
namespace {

using module::v1::Settings;
using module::v1::Value;

void add_option(Subject& subject, const char* name, module::v1::OptionType type) {
  subject.description.options.emplace_back();
  subject.description.options.back().set_name(name);
  subject.description.options.back().set_type(type);
}

Subject subject_with_options() {
  Subject subject;
  add_option(subject, "root", module::v1::OPTION_TYPE_STRING);
  add_option(subject, "roots", module::v1::OPTION_TYPE_STRINGS);
  add_option(subject, "wait", module::v1::OPTION_TYPE_DURATION);
  add_option(subject, "count", module::v1::OPTION_TYPE_INT);
  return subject;
}

TEST_CASE("bad settings say nothing else of what the command line gives") {
  Subject subject = subject_with_options();
  subject.start.settings = {{"root", std::string("/tmp/a")},
                            {"roots", std::vector<std::string>{"/tmp/b", "/tmp/c"}},
                            {"wait", std::chrono::nanoseconds(5)}};
  Random random(GENERATE(1U, 2U, 3U), "test");
  const auto all = bad_settings(subject, random);
  REQUIRE(all.size() == 4);
  for (const BadSettings& each : all) {
    CAPTURE(each.what);
    Settings settings;
    // What a module has that does not care whether all of it could be read.
    CHECK(settings.ParsePartialFromString(each.bytes) != each.is_garbage);
    const auto& values = settings.values();
    REQUIRE(values.size() >= 3);
    CHECK(values.at("root").string_value() == "/tmp/a");
    REQUIRE(values.at("roots").strings_value().values_size() == 2);
    CHECK(values.at("roots").strings_value().values(1) == "/tmp/c");
    CHECK(values.at("wait").int_value() == 5);
  }
}

TEST_CASE("options that the command line does not give are missing or of wrong types") {
  Subject subject = subject_with_options();
  Random random(1, "test");
  Settings settings;
  REQUIRE(settings.ParseFromString(bad_settings(subject, random).back().bytes));
  CHECK(settings.values().at("root").kind_case() == Value::kIntValue);
  CHECK(settings.values().at("roots").kind_case() == Value::kStringValue);
  CHECK(settings.values().at("wait").kind_case() == Value::kStringValue);
  CHECK(bad_settings(subject, random)[2].bytes.empty());

  subject.start.settings = {{"root", std::string("/tmp/a")}};
  REQUIRE(settings.ParseFromString(bad_settings(subject, random)[2].bytes));
  CHECK(settings.values_size() == 1);
  REQUIRE(settings.ParseFromString(bad_settings(subject, random)[3].bytes));
  CHECK(settings.values().at("root").string_value() == "/tmp/a");
  CHECK(settings.values().at("count").kind_case() == Value::kStringValue);
}

}  // namespace
}  // namespace longshore::module_check
