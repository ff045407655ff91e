#include "sidecars/flag_value.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "config/toml_text.h"
#include "main/go_flags.h"

namespace longshore::sidecars {
namespace {

using config::OptionSchema;
using config::OptionType;
using config::OptionValue;

std::vector<std::string> parts_of(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const size_t comma = std::min(text.find(','), text.size());
    parts.emplace_back(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return parts;
}

std::optional<OptionValue> parse(OptionType type, const std::string& text) {
  const auto value = [](const auto& parsed) {
    return parsed ? std::optional<OptionValue>(*parsed) : std::nullopt;
  };
  switch (type) {
    case OptionType::kBool:
      return value(go::parse_bool(text));
    case OptionType::kInt:
      return value(go::parse_int(text));
    case OptionType::kFloat:
      return value(go::parse_float(text));
    case OptionType::kDuration: {
      const auto duration = go::parse_duration(text);
      return duration ? std::optional<OptionValue>(int64_t{duration->count()}) : std::nullopt;
    }
    case OptionType::kStrings:
      return parts_of(text);
    case OptionType::kString:
      break;
  }
  return text;
}

std::string expected(OptionType type) {
  switch (type) {
    case OptionType::kBool:
      return "neither true nor false";
    case OptionType::kInt:
      return "no whole number";
    case OptionType::kFloat:
      return "no number";
    default:
      return "no duration; write it as 250ms, 30s or 1m30s";
  }
}

std::string bound_text(int64_t bound, OptionType type) {
  return type == OptionType::kDuration ? config::duration_text(std::chrono::nanoseconds(bound))
                                       : std::to_string(bound);
}

// What is wrong with a value of the right type; empty: nothing.
std::string complaint_about(const OptionValue& value, const OptionSchema& option) {
  const auto* const text = std::get_if<std::string>(&value);
  if (text && !option.one_of.empty() &&
      std::ranges::find(option.one_of, *text) == option.one_of.end()) {
    std::string words;
    for (const std::string& word : option.one_of) {
      words += (words.empty() ? "" : ", ") + config::in_quotes(word);
    }
    return "none of " + words;
  }
  if (!option.range) return {};
  const auto [least, most] = *option.range;
  const auto* const count = std::get_if<int64_t>(&value);
  const auto* const number = std::get_if<double>(&value);
  const bool is_outside =
      (count && (*count < least || *count > most)) ||
      (number && (*number < static_cast<double>(least) || *number > static_cast<double>(most)));
  if (!is_outside) return {};
  return "not between " + bound_text(least, option.type) + " and " + bound_text(most, option.type);
}

}  // namespace

std::string flag_name(std::string_view option) {
  std::string name(option);
  std::ranges::replace(name, '_', '-');
  return name;
}

std::string with_flag_names(std::string_view doc, const config::ModuleSchema& schema) {
  constexpr std::string_view kOfNames = "abcdefghijklmnopqrstuvwxyz0123456789_";
  std::string text;
  while (!doc.empty()) {
    const std::string_view word = doc.substr(0, doc.find_first_not_of(kOfNames));
    const bool is_name =
        word.find('_') != word.npos &&
        std::ranges::find(schema.options, word, &OptionSchema::name) != schema.options.end();
    text += is_name ? "--" + flag_name(word) : std::string(word);
    doc.remove_prefix(word.size());
    const std::string_view between = doc.substr(0, doc.find_first_of(kOfNames));
    text += between;
    doc.remove_prefix(between.size());
  }
  return text;
}

std::string_view type_name(OptionType type) {
  switch (type) {
    case OptionType::kBool:
      return "bool";
    case OptionType::kInt:
      return "int";
    case OptionType::kFloat:
      return "float";
    case OptionType::kDuration:
      return "duration";
    case OptionType::kStrings:
      return "list";
    case OptionType::kString:
      break;
  }
  return "string";
}

Result<OptionValue> flag_value(const std::string& flag, const OptionSchema& option,
                               const std::string& text) {
  std::optional<OptionValue> value = parse(option.type, text);
  const std::string complaint = value ? complaint_about(*value, option) : expected(option.type);
  if (complaint.empty()) return *std::move(value);
  return Error(StatusCode::kInvalidArgument, "use the flag", flag)
      .because((option.secret ? "its value" : config::in_quotes(text)) + " is " + complaint);
}

}  // namespace longshore::sidecars
