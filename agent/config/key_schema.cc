#include "config/key_schema.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <utility>

#include "config/capabilities.h"
#include "config/control_characters.h"
#include "config/http_address.h"
#include "config/system_paths.h"
#include "config/toml_text.h"

#if defined(_WIN32)
#include "config/windows/security_descriptor.h"
#endif

namespace longshore::config {
namespace {

// One value under examination. Each check answers an empty text, or what is wrong with the value
// in words that follow `"the.key" `.
class Examination {
 public:
  explicit Examination(const KeySchema& key) : key_(key) {}

  std::string text(const std::string& text) const {
    if (text.empty()) return empty_text();
    if (!key_.one_of.empty() &&
        std::find(key_.one_of.begin(), key_.one_of.end(), text) == key_.one_of.end()) {
      return "must be one of " + listed(key_.one_of) + ", not " + in_quotes(text);
    }
    switch (key_.type) {
      case KeyType::kPath:
      case KeyType::kPaths:
        return path(text);
      case KeyType::kPathsOrAll:
        return text == "all" ? std::string() : path(text);
      case KeyType::kAddress:
        return complaint_about_address(text);
      case KeyType::kHttpAddress:
        return http_address(text);
      case KeyType::kLibrary:
        return library(text);
      case KeyType::kIsolation:
        return isolation(text);
      case KeyType::kCapabilities:
        return capability(text);
      case KeyType::kSha256:
        return sha256(text);
      case KeyType::kSddl:
        return sddl(text);
      default:
        return {};
    }
  }

  template <typename Number>
  std::string number(Number value) const {
    if (!key_.range) return {};
    const auto least = static_cast<Number>(key_.range->first);
    const auto most = static_cast<Number>(key_.range->second);
    if (value >= least && value <= most) return {};
    const auto shown = [&](Number number) { return value_text(number, key_.type); };
    return "must be from " + shown(least) + " to " + shown(most) + ", not " + shown(value);
  }

 private:
  std::string empty_text() const {
    const bool is_free = key_.type == KeyType::kString || key_.type == KeyType::kStrings;
    if (key_.may_be_empty || (is_free && key_.one_of.empty())) return {};
    const bool is_list = key_.type == KeyType::kNames || key_.type == KeyType::kPaths ||
                         key_.type == KeyType::kPathsOrAll || key_.type == KeyType::kCapabilities;
    return is_list ? "must not have an empty string" : "must not be empty";
  }

  static std::string listed(const std::vector<std::string>& texts) {
    std::string list;
    for (const std::string& text : texts) list += (list.empty() ? "" : ", ") + in_quotes(text);
    return list;
  }

  static std::string path(const std::string& text) {
    if (has_control_characters(text))
      return "must not have control characters in its path: " + in_quotes(text);
    if (is_absolute(text)) return {};
    return "must be an absolute path, not " + in_quotes(text);
  }

  static std::string http_address(const std::string& text) {
    if (text.starts_with("unix://")) return complaint_about_address(text);
    if (parse_http_address(text)) return {};
    return "must be <IP address>:<port> or localhost:<port>, with brackets around an IPv6 address, "
           "or unix:///absolute/path, not " +
           in_quotes(text);
  }

  static std::string library(const std::string& text) {
    if (has_control_characters(text)) return "must not have control characters: " + in_quotes(text);
    if (text.find_first_of("/\\") == std::string::npos) return {};
    if (std::filesystem::path(text).is_absolute()) return {};
    return "must be a file name without a folder, or an absolute path, not " + in_quotes(text);
  }

  static std::string isolation(const std::string& text) {
    if (text == "in-process" || text == "process") return {};
    return "must be \"in-process\" or \"process\", not " + in_quotes(text);
  }

  static std::string capability(const std::string& text) {
    if (text == "all" || capability_number(text)) return {};
    return "must have names of capabilities such as \"CAP_SYS_ADMIN\", or \"all\", not " +
           in_quotes(text);
  }

  static std::string sha256(const std::string& text) {
    constexpr size_t kDigits = 64;
    const auto is_hex = [](char c) {
      return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
    };
    if (text.size() == kDigits && std::all_of(text.begin(), text.end(), is_hex)) return {};
    return "must be 64 hexadecimal digits, as sha256sum prints them, not " + in_quotes(text);
  }

  static std::string sddl([[maybe_unused]] const std::string& text) {
#if defined(_WIN32)
    if (!SecurityDescriptor::parse(text)) {
      return "must be a security descriptor that says who may open the pipe, such as "
             "\"D:P(A;;GA;;;SY)(A;;GA;;;BA)\", not " +
             in_quotes(text);
    }
#endif
    return {};
  }

  const KeySchema& key_;
};

std::string_view expected(KeyType type) {
  switch (type) {
    case KeyType::kBool:
      return "true or false";
    case KeyType::kInt:
      return "an integer";
    case KeyType::kFloat:
      return "a number";
    case KeyType::kStrings:
    case KeyType::kNames:
    case KeyType::kPaths:
    case KeyType::kPathsOrAll:
    case KeyType::kCapabilities:
      return "an array of strings";
    case KeyType::kDuration:
      return "a duration such as \"30s\"";
    case KeyType::kMode:
      return "a file mode in quotes such as \"0660\"";
    default:
      return "a string";
  }
}

// Reads one value; what it cannot read it reports.
class Reading {
 public:
  Reading(const KeySchema& key, const std::string& path, Findings& findings)
      : key_(key), path_(path), findings_(findings), examination_(key) {}

  std::optional<OptionValue> read(const Node& node) {
    switch (key_.type) {
      case KeyType::kBool:
        if (const auto* value = std::get_if<bool>(&node.value)) return *value;
        return wrong_type(node);
      case KeyType::kInt:
        if (const auto* value = std::get_if<int64_t>(&node.value)) return number(node, *value);
        return wrong_type(node);
      case KeyType::kFloat:
        return real(node);
      case KeyType::kStrings:
      case KeyType::kNames:
      case KeyType::kPaths:
      case KeyType::kPathsOrAll:
      case KeyType::kCapabilities:
        return texts(node);
      default:
        if (const auto* value = std::get_if<std::string>(&node.value)) return text(node, *value);
        return wrong_type(node);
    }
  }

 private:
  std::nullopt_t refuse(const Node& node, const std::string& what) {
    findings_.add(node.place, '"' + path_ + "\" " + what);
    return std::nullopt;
  }

  std::nullopt_t wrong_type(const Node& node) {
    return refuse(node, "must be " + std::string(expected(key_.type)) + ", not " +
                            std::string(type_name(node)));
  }

  std::optional<OptionValue> number(const Node& node, int64_t value) {
    if (std::string wrong = examination_.number(value); !wrong.empty()) return refuse(node, wrong);
    return value;
  }

  std::optional<OptionValue> real(const Node& node) {
    const auto* whole = std::get_if<int64_t>(&node.value);
    const auto* value = std::get_if<double>(&node.value);
    if (whole == nullptr && value == nullptr) return wrong_type(node);
    const double read = whole != nullptr ? static_cast<double>(*whole) : *value;
    if (!std::isfinite(read)) return refuse(node, "must be a finite number");
    if (std::string wrong = examination_.number(read); !wrong.empty()) return refuse(node, wrong);
    return read;
  }

  std::optional<OptionValue> text(const Node& node, const std::string& value) {
    if (key_.type == KeyType::kDuration) {
      if (const auto duration = parse_duration(value)) return number(node, duration->count());
      return refuse(node, "must be a duration such as \"250ms\", \"30s\", \"10m\" or \"2h\", not " +
                              in_quotes(value));
    }
    if (key_.type == KeyType::kMode) {
      if (const auto mode = parse_mode(value)) return *mode;
      return refuse(node, "must be a file mode in octal such as \"0660\", not " + in_quotes(value));
    }
    std::string read = is_path() ? expanded_path(value) : value;
    if (std::string wrong = examination_.text(read); !wrong.empty()) return refuse(node, wrong);
    if (key_.type == KeyType::kSha256) {
      for (char& c : read) c = c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c;
    }
    return read;
  }

  std::optional<OptionValue> texts(const Node& node) {
    const auto* items = std::get_if<Node::Array>(&node.value);
    if (items == nullptr) return wrong_type(node);
    std::vector<std::string> read;
    for (const Node& item : *items) {
      const auto* written = std::get_if<std::string>(&item.value);
      if (written == nullptr) {
        refuse(item, "must have only strings, not " + std::string(type_name(item)));
        continue;
      }
      std::string value = is_path() ? expanded_path(*written) : *written;
      if (std::string wrong = examination_.text(value); !wrong.empty()) {
        refuse(item, wrong);
      } else if (key_.type != KeyType::kStrings && named_before(read, value)) {
        refuse(item, "names " + in_quotes(value) + " twice");
      } else {
        read.push_back(std::move(value));
      }
    }
    if (read.size() != items->size()) return std::nullopt;
    return read;
  }

  bool is_path() const {
    return key_.type == KeyType::kPath || key_.type == KeyType::kPaths ||
           key_.type == KeyType::kPathsOrAll || key_.type == KeyType::kLibrary;
  }

  static bool named_before(const std::vector<std::string>& texts, const std::string& text) {
    return std::find(texts.begin(), texts.end(), text) != texts.end();
  }

  const KeySchema& key_;
  const std::string& path_;
  Findings& findings_;
  const Examination examination_;
};

// The shortest text that reads as the same number, and as a float in TOML.
std::string float_text(double value) {
  char buffer[32];
  const auto end = std::to_chars(std::begin(buffer), std::end(buffer), value).ptr;
  std::string text(std::begin(buffer), end);
  if (text.find_first_of(".ein") == std::string::npos) text += ".0";
  return text;
}

}  // namespace

KeySchema key_schema(const OptionSchema& option) {
  static constexpr KeyType kTypes[] = {KeyType::kBool,   KeyType::kInt,     KeyType::kFloat,
                                       KeyType::kString, KeyType::kStrings, KeyType::kDuration};
  return {.name = option.name,
          .type = kTypes[static_cast<size_t>(option.type)],
          .doc = option.doc,
          .one_of = option.one_of,
          .range = option.range};
}

std::optional<OptionValue> read_value(const Node& node, const KeySchema& key,
                                      const std::string& path, Findings& findings) {
  return Reading(key, path, findings).read(node);
}

std::string value_text(const OptionValue& value, KeyType type) {
  if (const auto* boolean = std::get_if<bool>(&value)) return *boolean ? "true" : "false";
  if (const auto* number = std::get_if<double>(&value)) return float_text(*number);
  if (const auto* text = std::get_if<std::string>(&value)) return in_quotes(*text);
  if (const auto* texts = std::get_if<std::vector<std::string>>(&value)) return in_quotes(*texts);
  const int64_t number = std::get<int64_t>(value);
  if (type == KeyType::kDuration) return in_quotes(duration_text(std::chrono::nanoseconds(number)));
  if (type == KeyType::kMode) return in_quotes(mode_text(number));
  return std::to_string(number);
}

}  // namespace longshore::config
