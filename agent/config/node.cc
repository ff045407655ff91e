#include "config/node.h"

namespace longshore::config {

std::string_view type_name(const Node& node) {
  static constexpr std::string_view kNames[] = {
      "a table", "an array", "a string", "an integer", "a float", "a boolean", "a date or time"};
  return kNames[node.value.index()];
}

}  // namespace longshore::config
