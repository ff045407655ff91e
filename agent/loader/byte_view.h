// Reads fixed-size values from bytes that nobody vouches for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <type_traits>

namespace longshore::loader {

class ByteView {
 public:
  explicit ByteView(std::span<const std::byte> bytes) : bytes_(bytes) {}

  size_t size() const { return bytes_.size(); }

  // The T at `offset`, or nothing when it does not lie inside.
  template <typename T>
  std::optional<T> read(uint64_t offset) const {
    static_assert(std::is_trivially_copyable_v<T>);
    if (!contains(offset, sizeof(T))) return std::nullopt;
    T value;
    std::memcpy(&value, bytes_.data() + offset, sizeof(T));
    return value;
  }

  bool contains(uint64_t offset, uint64_t size) const {
    return offset <= bytes_.size() && size <= bytes_.size() - offset;
  }

  // The text at `offset` up to its zero byte, which must come within `limit` bytes.
  std::optional<std::string> text(uint64_t offset, size_t limit) const {
    if (offset >= bytes_.size()) return std::nullopt;
    const size_t longest = std::min<uint64_t>(limit, bytes_.size() - offset);
    const auto* start = reinterpret_cast<const char*>(bytes_.data()) + offset;
    const void* end = std::memchr(start, 0, longest);
    if (!end) return std::nullopt;
    return std::string(start, static_cast<const char*>(end));
  }

  // Bytes that must lie inside: ask `contains` first.
  std::string bytes(uint64_t offset, uint64_t size) const {
    return {reinterpret_cast<const char*>(bytes_.data()) + offset, static_cast<size_t>(size)};
  }

 private:
  std::span<const std::byte> bytes_;
};

}  // namespace longshore::loader
