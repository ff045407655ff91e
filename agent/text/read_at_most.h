// Reads a stream that may never end, as a device does that somebody took for a file.
//
// Threads: any.
#pragma once

#include <algorithm>
#include <cstddef>
#include <istream>
#include <optional>
#include <string>

namespace longshore::text {

// All of it; nothing if that is more.
inline std::optional<std::string> read_at_most(std::istream& stream, size_t bytes) {
  constexpr size_t kStep = 64u << 10;
  std::string text;
  while (stream && text.size() <= bytes) {
    const size_t size = text.size();
    text.resize(size + std::min(kStep, bytes + 1 - size));
    stream.read(text.data() + size, static_cast<std::streamsize>(text.size() - size));
    text.resize(size + static_cast<size_t>(stream.gcount()));
  }
  if (text.size() > bytes) return std::nullopt;
  return text;
}

}  // namespace longshore::text
