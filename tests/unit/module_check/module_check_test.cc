// The parts of longshore-module-check that need no module.
#include <catch2/catch.hpp>
#include <chrono>

#include "longshore/module/v1.pb.h"
#include "tests/support/wire_writer.h"
#include "tools/module_check/report.h"
#include "tools/module_check/request_maker.h"
#include "tools/module_check/response_fault.h"
#include "tools/module_check/setting_text.h"
#include "tools/module_check/subject.h"

namespace longshore::module_check {
namespace {

using namespace std::chrono_literals;
using test::WireWriter;

namespace descriptors = module::descriptors;

descriptors::Field* add_field(descriptors::Message& message, const char* name, int number, int type,
                              const char* type_name = "") {
  descriptors::Field* const field = message.add_field();
  field->set_name(name);
  field->set_number(number);
  field->set_type(type);
  field->set_type_name(type_name);
  return field;
}

// The messages of longshore.module.v1 that have fields of many kinds, under other names.
descriptors::FileSet files() {
  descriptors::FileSet set;
  auto* const file = set.add_file();
  file->set_package("a");
  auto* const value = file->add_message_type();
  value->set_name("Value");
  add_field(*value, "bool_value", 1, 8);
  add_field(*value, "int_value", 2, 3);
  add_field(*value, "double_value", 3, 1);
  add_field(*value, "string_value", 4, 9);
  add_field(*value, "strings_value", 5, 11, ".a.Value.Strings");
  auto* const strings = value->add_nested_type();
  strings->set_name("Strings");
  add_field(*strings, "values", 1, 9)->set_label(3);
  return set;
}

TEST_CASE("made requests are what every parser takes, and none of the others is") {
  const auto set = files();
  const RequestMaker maker(set);
  const auto* const type = message_type(set, ".a.Value");
  REQUIRE(type);
  Random random(GENERATE(1U, 2U, 3U), "test");
  size_t longest = 0;
  for (int i = 0; i < 200; ++i) {
    const std::string bytes = maker.valid(type, random);
    module::v1::Value value;
    REQUIRE(value.ParseFromString(bytes));
    CHECK(response_fault(bytes, *type, set).empty());
    longest = std::max(longest, bytes.size());
    const std::string cut = maker.cut(type, random);
    CHECK(cut.size() <= 100'000);
  }
  CHECK(longest > 20);
  for (const std::string& bytes : no_messages()) {
    module::v1::Value value;
    CHECK_FALSE(value.ParseFromString(bytes));
    CHECK_FALSE(response_fault(bytes, *type, set).empty());
  }
}

TEST_CASE("choices depend on the seed and the name") {
  const auto first = [](uint64_t seed, const char* name) { return Random(seed, name).any(); };
  CHECK(first(1, "a") == first(1, "a"));
  CHECK(first(1, "a") != first(2, "a"));
  CHECK(first(1, "a") != first(1, "b"));
}

TEST_CASE("an answer of another type is found, and where") {
  const auto set = files();
  const auto* const type = message_type(set, ".a.Value");
  const auto fault = [&](const std::string& bytes) { return response_fault(bytes, *type, set); };
  CHECK(fault(WireWriter().text(4, "\xc3\xbc")) == "");
  CHECK(fault(WireWriter().text(99, "\xff")) == "");  // of a newer type
  CHECK(fault("\x9b\x06\x9c\x06") == "");             // a group that nobody knows
  CHECK(fault("\x9b\x06") == "it is no message");     // one that does not end
  CHECK(fault(WireWriter().text(2, "x")) == "int_value is encoded as another type");
  CHECK(fault(WireWriter().text(4, "\xff")) == "string_value is not UTF-8");
  CHECK(fault(WireWriter().text(4, "\xed\xa0\x80")) == "string_value is not UTF-8");
  CHECK(fault(WireWriter().text(4, "\xc0\x80")) == "string_value is not UTF-8");
  CHECK(fault(WireWriter().text(4, "\xe2\x82")) == "string_value is not UTF-8");
  CHECK(fault(WireWriter().text(5, WireWriter().text(1, "\xff").bytes())) ==
        "strings_value: values is not UTF-8");
  CHECK(fault(WireWriter().text(5, "\x0a\x05x")) == "strings_value: it is no message");
}

module::v1::Option option(const char* name, module::v1::OptionType type) {
  module::v1::Option made;
  made.set_name(name);
  made.set_type(type);
  return made;
}

const std::vector<module::v1::Option>& options() {
  static const std::vector<module::v1::Option> kOptions = {
      option("flag", module::v1::OPTION_TYPE_BOOL),
      option("count", module::v1::OPTION_TYPE_INT),
      option("share", module::v1::OPTION_TYPE_FLOAT),
      option("name", module::v1::OPTION_TYPE_STRING),
      option("names", module::v1::OPTION_TYPE_STRINGS),
      option("time", module::v1::OPTION_TYPE_DURATION)};
  return kOptions;
}

TEST_CASE("settings of the command line have the types of the description") {
  const auto settings = parse_settings(
      {"flag=true", "count=-5", "share=0.5", "name=a=b", "names=a,b", "time=1.5s"}, options());
  REQUIRE(settings);
  CHECK(std::get<bool>(settings->at("flag")));
  CHECK(std::get<int64_t>(settings->at("count")) == -5);
  CHECK(std::get<double>(settings->at("share")) == 0.5);
  CHECK(std::get<std::string>(settings->at("name")) == "a=b");
  CHECK(std::get<std::vector<std::string>>(settings->at("names")) ==
        std::vector<std::string>{"a", "b"});
  CHECK(std::get<std::chrono::nanoseconds>(settings->at("time")) == 1500ms);
  CHECK(std::get<std::vector<std::string>>(parse_settings({"names="}, options())->at("names"))
            .empty());
}

TEST_CASE("settings that do not fit are refused with their text") {
  const auto [text, why] = GENERATE(table<std::string, std::string>({
      {"flag", "it is not of the form KEY=VALUE"},
      {"flog=true", "the module has no such option"},
      {"flag=yes", "the option takes true or false"},
      {"count=5x", "the option takes a whole number"},
      {"count=", "the option takes a whole number"},
      {"count=99999999999999999999", "the option takes a whole number"},
      {"share=half", "the option takes a number"},
      {"time=5", "the option takes a time, such as 30s"},
  }));
  const auto settings = parse_settings({text}, options());
  REQUIRE_FALSE(settings);
  CHECK(settings.error().message() == "cannot use the setting \"" + text + "\": " + why);
}

TEST_CASE("patterns fit whole names") {
  CHECK(fits_one_of({"a.v1.*/Get?"}, "a.v1.B/GetX"));
  CHECK(fits_one_of({"x", "*"}, ""));
  CHECK_FALSE(fits_one_of({"a"}, "ab"));
  CHECK_FALSE(fits_one_of({"?"}, ""));
  CHECK_FALSE(fits_one_of({}, "a"));
}

TEST_CASE("the gravest finding counts, and of equals the first") {
  Findings findings;
  CHECK(findings.report().outcome == Outcome::kPassed);
  findings.warn("a", "do a");
  findings.fail("b", "do b");
  findings.fail("c", "do c");
  const Report report = findings.report();
  CHECK(report.outcome == Outcome::kFailed);
  CHECK(report.text == "b (and 1 more)");
  CHECK(report.advice == "do b");
}

TEST_CASE("a sentence of the fake host comes with advice") {
  Findings known;
  known.violation("log was called after destroy");
  CHECK(known.report().advice == "end the module's own threads before stop is finished");
  Findings unknown;
  unknown.violation("something new");
  CHECK(unknown.report().outcome == Outcome::kFailed);
  CHECK_FALSE(unknown.report().advice.empty());
}

}  // namespace
}  // namespace longshore::module_check
