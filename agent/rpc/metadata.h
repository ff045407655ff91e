// gRPC metadata: what travels beside the messages, as pairs in order.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace longshore::rpc {

// Keys are lower-case. Values of keys that end in "-bin" are bytes here and base64 on the wire.
using Metadata = std::vector<std::pair<std::string, std::string>>;

// The first value under `key`, or null.
inline const std::string* find(const Metadata& metadata, std::string_view key) {
  for (const auto& [name, value] : metadata) {
    if (name == key) return &value;
  }
  return nullptr;
}

}  // namespace longshore::rpc
