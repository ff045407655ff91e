#include "description.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "longshore/module/descriptors.pb.h"

namespace longshore::testing {
namespace {

using module::v1::Option;
using module::v1::OptionType;
using module::v1::Value;

// Writes a test's value into a message; each overload says which type of option takes it.
struct ValueWriter {
  Value& value;

  OptionType operator()(bool given) const {
    value.set_bool_value(given);
    return module::v1::OPTION_TYPE_BOOL;
  }
  OptionType operator()(int64_t given) const {
    value.set_int_value(given);
    return module::v1::OPTION_TYPE_INT;
  }
  OptionType operator()(double given) const {
    value.set_float_value(given);
    return module::v1::OPTION_TYPE_FLOAT;
  }
  OptionType operator()(const std::string& given) const {
    value.set_string_value(given);
    return module::v1::OPTION_TYPE_STRING;
  }
  OptionType operator()(const std::vector<std::string>& given) const {
    for (const std::string& each : given) value.mutable_strings_value()->add_values(each);
    value.mutable_strings_value();  // also when there are none
    return module::v1::OPTION_TYPE_STRINGS;
  }
  OptionType operator()(std::chrono::nanoseconds given) const {
    value.set_int_value(given.count());
    return module::v1::OPTION_TYPE_DURATION;
  }
};

Error refusal(const std::string& name, std::string why) {
  return Error(StatusCode::kInvalidArgument, "set the option", name).because(std::move(why));
}

Result<Value> value_of(const Option& option, const SettingValue& given) {
  Value value;
  if (std::visit(ValueWriter{value}, given) != option.type()) {
    return refusal(option.name(), "the description gives it another type");
  }
  if (option.has_range() &&
      (value.int_value() < option.min() || value.int_value() > option.max())) {
    return refusal(option.name(), "it is out of range");
  }
  const auto& words = option.one_of();
  if (!words.empty() && std::ranges::find(words, value.string_value()) == words.end()) {
    return refusal(option.name(), "\"" + value.string_value() + "\" is none of its words");
  }
  return value;
}

Error unreadable(const char* what) {
  return Error(StatusCode::kInvalidArgument, "read the module's description").because(what);
}

}  // namespace

Result<Description> Description::read(const longshore_module_entry& entry) {
  Description description;
  if (!entry.description || !description.message_.ParseFromArray(
                                entry.description, static_cast<int>(entry.description_size))) {
    return unreadable("it is not a longshore.module.v1.Description");
  }
  const Result<void> read = description.read_methods();
  if (!read) return read.error();
  return description;
}

Result<void> Description::read_methods() {
  module::descriptors::FileSet files;
  if (!files.ParseFromString(message_.file_descriptor_set())) {
    return unreadable("its descriptors are no FileDescriptorSet");
  }
  std::map<std::string, const module::descriptors::Service*> services;
  for (const auto& file : files.file()) {
    const std::string prefix = file.package().empty() ? "" : file.package() + ".";
    for (const auto& service : file.service()) services[prefix + service.name()] = &service;
  }
  for (const std::string& name : message_.services()) {
    const auto service = services.find(name);
    if (service == services.end()) return unreadable("it names a service that no file describes");
    for (const auto& method : service->second->method()) {
      methods_[name + "/" + method.name()] = method.server_streaming();
    }
  }
  return {};
}

bool Description::is_stream(std::string_view method) const {
  const auto found = methods_.find(method);
  return found != methods_.end() && found->second;
}

Result<module::v1::Settings> Description::settings(const StartOptions& options) const {
  module::v1::Settings settings;
  settings.set_instance_name(options.instance_name);
  settings.set_state_directory(options.state_directory);
  size_t used = 0;
  for (const Option& option : message_.options()) {
    const auto given = options.settings.find(option.name());
    if (given != options.settings.end()) {
      Result<Value> value = value_of(option, given->second);
      if (!value) return std::move(value).error();
      (*settings.mutable_values())[option.name()] = *std::move(value);
      ++used;
    } else if (option.required()) {
      return refusal(option.name(), "it is required and not given");
    } else {
      (*settings.mutable_values())[option.name()] = option.default_value();
    }
  }
  if (used == options.settings.size()) return settings;
  for (const auto& [name, value] : options.settings) {
    if (!settings.values().contains(name))
      return refusal(name, "the description has no such option");
  }
  return settings;
}

}  // namespace longshore::testing
