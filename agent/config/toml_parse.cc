// The only place that knows toml++, which is slow to compile and throws.
#include <toml++/toml.h>

#include <algorithm>

#include "config/node.h"

namespace longshore::config {
namespace {

// toml++ limits how deep values nest but not dotted keys, and it frees trees by recursion.
constexpr auto kMostDotsInLine = 2000;
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

// The first line that toml++ could not be given safely; 0 when there is none.
uint32_t overlong_line(std::string_view text) {
  for (uint32_t line = 1; !text.empty(); ++line) {
    const std::string_view present = text.substr(0, text.find('\n'));
    if (std::count(present.begin(), present.end(), '.') > kMostDotsInLine) return line;
    text.remove_prefix(std::min(present.size() + 1, text.size()));
  }
  return 0;
}

}  // namespace

Node parse_toml(std::string_view text, const std::string& file_name, size_t file,
                Findings& findings) {
  Node empty{Node::Table{}, {file, 1, 1}};
  if (text.size() > kMostBytes) {
    findings.add(empty.place, "the file is larger than 1 MiB");
    return empty;
  }
  if (const uint32_t line = overlong_line(text); line != 0) {
    findings.add({file, line, 1},
                 "the line has more than " + std::to_string(kMostDotsInLine) + " dots");
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
