#include "tools/module_check/setting_text.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "config/toml_text.h"

namespace longshore::module_check {
namespace {

using testing::SettingValue;

std::vector<std::string> parts_of(const std::string& text) {
  std::vector<std::string> parts;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

template <typename Number>
std::optional<SettingValue> number_of(const std::string& text) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return number;
}

std::optional<SettingValue> value_of(const std::string& text, module::v1::OptionType type) {
  switch (type) {
    case module::v1::OPTION_TYPE_BOOL:
      if (text != "true" && text != "false") return std::nullopt;
      return text == "true";
    case module::v1::OPTION_TYPE_INT:
      return number_of<int64_t>(text);
    case module::v1::OPTION_TYPE_FLOAT:
      return number_of<double>(text);
    case module::v1::OPTION_TYPE_STRINGS:
      return parts_of(text);
    case module::v1::OPTION_TYPE_DURATION: {
      const auto duration = config::parse_duration(text);
      if (!duration) return std::nullopt;
      return *duration;
    }
    default:
      return text;
  }
}

std::string form_of(module::v1::OptionType type) {
  switch (type) {
    case module::v1::OPTION_TYPE_BOOL:
      return "true or false";
    case module::v1::OPTION_TYPE_INT:
      return "a whole number";
    case module::v1::OPTION_TYPE_FLOAT:
      return "a number";
    case module::v1::OPTION_TYPE_DURATION:
      return "a time, such as 30s";
    default:
      return "text";
  }
}

Error refusal(const std::string& text, std::string why) {
  return Error(StatusCode::kInvalidArgument, "use the setting", text).because(std::move(why));
}

}  // namespace

Result<std::map<std::string, SettingValue>> parse_settings(
    const std::vector<std::string>& texts, const std::vector<module::v1::Option>& options) {
  std::map<std::string, SettingValue> settings;
  for (const std::string& text : texts) {
    const size_t equals = text.find('=');
    if (equals == std::string::npos) return refusal(text, "it is not of the form KEY=VALUE");
    const std::string key = text.substr(0, equals);
    const auto option = std::ranges::find_if(
        options, [&](const module::v1::Option& each) { return each.name() == key; });
    if (option == options.end()) return refusal(text, "the module has no such option");
    auto value = value_of(text.substr(equals + 1), option->type());
    if (!value) return refusal(text, "the option takes " + form_of(option->type()));
    settings.insert_or_assign(key, *std::move(value));
  }
  return settings;
}

}  // namespace longshore::module_check
