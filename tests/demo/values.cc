#include "tests/demo/values.h"

#include <charconv>
#include <string_view>

namespace longshore::demo {

std::string Values::fill(const std::string& text) const {
  std::string filled = text;
  for (const auto& [name, value] : values_) {
    const std::string mark = "<" + name + ">";
    for (size_t at = filled.find(mark); at != std::string::npos;
         at = filled.find(mark, at + value.size())) {
      filled.replace(at, mark.size(), value);
    }
  }
  return filled;
}

bool Values::match(const std::string& pattern, const std::string& text) {
  const std::string filled = fill(pattern);
  std::string_view expected = filled;
  std::string_view rest = text;
  std::map<std::string, std::string> found;
  for (size_t open = expected.find('<'); open != std::string_view::npos;
       open = expected.find('<')) {
    if (!rest.starts_with(expected.substr(0, open))) return false;
    rest.remove_prefix(open);
    const size_t close = expected.find('>', open);
    const size_t end = rest.find(expected.substr(close + 1, 1));
    found[std::string(expected.substr(open + 1, close - open - 1))] = rest.substr(0, end);
    if (end == std::string_view::npos) return false;
    rest.remove_prefix(end);
    expected.remove_prefix(close + 1);
  }
  if (rest != expected) return false;
  values_.merge(found);
  return true;
}

uint64_t Values::number(const std::string& name) const {
  const auto found = values_.find(name);
  if (found == values_.end()) return 0;
  const std::string& text = found->second;
  uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

}  // namespace longshore::demo
