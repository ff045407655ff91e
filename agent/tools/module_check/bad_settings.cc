#include "tools/module_check/bad_settings.h"

#include "longshore/module/v1.pb.h"

namespace longshore::module_check {
namespace {

using module::v1::OptionType;
using module::v1::Settings;
using module::v1::Value;

struct ValueWriter {
  Value& value;
  void operator()(bool given) const { value.set_bool_value(given); }
  void operator()(int64_t given) const { value.set_int_value(given); }
  void operator()(double given) const { value.set_float_value(given); }
  void operator()(const std::string& given) const { value.set_string_value(given); }
  void operator()(const std::vector<std::string>& given) const {
    auto& strings = *value.mutable_strings_value();
    for (const std::string& each : given) strings.add_values(each);
  }
  void operator()(std::chrono::nanoseconds given) const { value.set_int_value(given.count()); }
};

Settings given_settings(const Subject& subject) {
  Settings settings;
  for (const auto& [name, value] : subject.start.settings) {
    std::visit(ValueWriter{(*settings.mutable_values())[name]}, value);
  }
  return settings;
}

// A value that is of another type than the option's.
Value wrong_value(OptionType type) {
  Value value;
  if (type == module::v1::OPTION_TYPE_STRING) {
    value.set_int_value(-7);
  } else {
    value.set_string_value("not what it should be");
  }
  return value;
}

// For the options that are not given.
Settings wrong_settings(const Subject& subject) {
  Settings settings;
  for (const auto& option : subject.description.options) {
    if (subject.start.settings.contains(option.name())) continue;
    (*settings.mutable_values())[option.name()] = wrong_value(option.type());
  }
  settings.set_instance_name("check");
  return settings;
}

}  // namespace

std::vector<BadSettings> bad_settings(const Subject& subject, Random& random) {
  const std::string given = given_settings(subject).SerializeAsString();
  const std::string wrong = given + wrong_settings(subject).SerializeAsString();
  return {
      {"bytes that are no message", given + std::string("\x0a\xff", 2) + random.bytes(40), true},
      {"a message that was cut short", wrong.substr(0, wrong.size() - 1), true},
      {"only the values of the command line", given, false},
      {"values of wrong types", wrong, false}};
}

}  // namespace longshore::module_check
