#include "core/start_values.h"

#include <filesystem>
#include <memory>
#include <set>

#include "files/private_folder.h"
#include "longshore/module/v1.pb.h"
#include "text/file_path.h"

namespace longshore::core {
namespace {

void set_value(const config::OptionValue& from, module::v1::Value& to) {
  if (const auto* flag = std::get_if<bool>(&from)) {
    to.set_bool_value(*flag);
  } else if (const auto* number = std::get_if<int64_t>(&from)) {
    to.set_int_value(*number);
  } else if (const auto* real = std::get_if<double>(&from)) {
    to.set_float_value(*real);
  } else if (const auto* text = std::get_if<std::string>(&from)) {
    to.set_string_value(*text);
  } else {
    auto* strings = to.mutable_strings_value();
    for (const auto& each : std::get<std::vector<std::string>>(from)) strings->add_values(each);
  }
}

}  // namespace

loader::InstanceOptions instance_options(const config::ModuleSettings& settings) {
  loader::InstanceOptions options;
  options.name = settings.name;
  options.max_concurrent_calls = static_cast<size_t>(settings.max_concurrent_calls);
  options.max_open_streams = static_cast<size_t>(settings.max_open_streams);
  options.max_queued_calls = static_cast<size_t>(settings.max_queued_calls);
  options.max_calls_per_bulkhead = static_cast<size_t>(settings.max_calls_per_bulkhead);
  options.max_stuck_calls = static_cast<size_t>(settings.max_stuck_calls);
  options.start_timeout = settings.start_timeout;
  options.may_call = std::make_shared<const std::set<std::string, std::less<>>>(
      settings.may_call.begin(), settings.may_call.end());
  return options;
}

Result<std::string> settings_message(const config::ModuleSettings& settings,
                                     const std::string& state_dir, bool are_flags) {
  module::v1::Settings message;
  message.set_are_flags(are_flags);
  for (const auto& [name, value] : settings.settings) {
    set_value(value, (*message.mutable_values())[name]);
  }
  message.set_instance_name(settings.name);
  const std::filesystem::path folder = text::file_path(state_dir) / text::file_path(settings.name);
  const auto made = files::make_private_folder(folder.string());
  if (!made) return made.error();
  message.set_state_directory(folder.string());
  return message.SerializeAsString();
}

}  // namespace longshore::core
