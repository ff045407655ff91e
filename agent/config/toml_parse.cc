// The only place that knows toml++, which is slow to compile and throws.
#include <toml++/toml.h>

#include <algorithm>

#include "config/node.h"

namespace longshore::config {
namespace {

// toml++ limits how deep values nest but not dotted keys, inside of which they can nest again, and
// it frees trees by recursion. A tree cannot be deeper than there are dots and brackets.
constexpr size_t kMostDots = 2000;
constexpr size_t kMostBytes = 1 << 20;

Place place_of(const toml::source_region& source, size_t file) {
  return {file, source.begin.line, source.begin.column};
}

Node node_of(const toml::node& source, size_t file);

Node::Table table_of(const toml::table& source, size_t file) {
  Node::Table table;
  for (const auto& [key, node] : source) {
    table.push_back({std::string(key.str()), place_of(key.source(), file), node_of(node, file)});
  }
  return table;
}

Node::Array array_of(const toml::array& source, size_t file) {
  Node::Array array;
  for (const toml::node& item : source) array.push_back(node_of(item, file));
  return array;
}

Node node_of(const toml::node& source, size_t file) {
  Node node;
  node.place = place_of(source.source(), file);
  if (const auto* table = source.as_table()) {
    node.value = table_of(*table, file);
  } else if (const auto* array = source.as_array()) {
    node.value = array_of(*array, file);
  } else if (const auto* text = source.as_string()) {
    node.value = text->get();
  } else if (const auto* integer = source.as_integer()) {
    node.value = integer->get();
  } else if (const auto* number = source.as_floating_point()) {
    node.value = number->get();
  } else if (const auto* boolean = source.as_boolean()) {
    node.value = boolean->get();
  } else {
    node.value = Node::DateTime{};
  }
  return node;
}

// Finds the dots that may belong to keys: those outside of comments and strings.
class DotScan {
 public:
  explicit DotScan(std::string_view text) : text_(text) {}

  // The line of the first dot over the limit; 0 when there is none.
  uint32_t line_over_limit() {
    size_t dots = 0;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (c == '"' || c == '\'') {
        skip_string(c);
      } else {
        if (c == '.' && ++dots > kMostDots) return line();
        ++at_;
      }
    }
    return 0;
  }

 private:
  void skip_string(char quote) {
    const std::string three(3, quote);
    const bool is_long = text_.substr(at_).starts_with(three);
    const std::string_view end = std::string_view(three).substr(0, is_long ? 3 : 1);
    at_ += end.size();
    while (at_ < text_.size() && !text_.substr(at_).starts_with(end)) {
      if (text_[at_] == '\n' && !is_long) return;  // not valid, as toml++ will say
      at_ += quote == '"' && text_[at_] == '\\' ? 2 : 1;
    }
    at_ += end.size();
    // A long string may have two quotes of its own right before its end.
    for (int i = 0; is_long && i < 2 && at_ < text_.size() && text_[at_] == quote; ++i) ++at_;
  }

  uint32_t line() const {
    const auto before = text_.substr(0, at_);
    return static_cast<uint32_t>(1 + std::count(before.begin(), before.end(), '\n'));
  }

  const std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

Node parse_toml(std::string_view text, const std::string& file_name, size_t file,
                Findings& findings) {
  Node empty{Node::Table{}, {file, 1, 1}};
  if (text.size() > kMostBytes) {
    findings.add(empty.place, "the file is larger than 1 MiB");
    return empty;
  }
  if (const uint32_t line = DotScan(text).line_over_limit(); line != 0) {
    findings.add({file, line, 1},
                 "the file has more than " + std::to_string(kMostDots) + " dots outside of texts");
    return empty;
  }
  try {
    const toml::table parsed = toml::parse(text, std::string_view(file_name));
    return {table_of(parsed, file), empty.place};
  } catch (const toml::parse_error& error) {
    findings.add(place_of(error.source(), file),
                 "this is not valid TOML: " + std::string(error.description()));
    return empty;
  }
}

}  // namespace longshore::config
