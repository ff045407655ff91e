// Reparse data put together byte by byte, as [MS-FSCC] 2.1.2 lays it out, good and damaged.
//
// Threads: plain functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace longshore::test {

constexpr uint32_t kSymbolicLinkTag = 0xA000000C;
constexpr uint32_t kMountPointTag = 0xA0000003;

// What one test changes of good data; offsets and lengths count bytes.
struct ReparseLayout {
  uint32_t tag = kSymbolicLinkTag;
  std::wstring_view name;  // that the system follows
  std::wstring_view shown = L"C:\\shown";
  uint32_t flags = 0;  // of symbolic links; 1: relative
  std::optional<uint32_t> data_length, name_offset, name_length;
};

inline void append_number(std::vector<std::byte>& bytes, uint32_t number, uint32_t count) {
  for (; count > 0; --count, number >>= 8) bytes.push_back(static_cast<std::byte>(number & 0xff));
}

// Of UTF-16.
inline void append_units(std::vector<std::byte>& bytes, std::wstring_view text) {
  for (const wchar_t unit : text) append_number(bytes, static_cast<uint32_t>(unit), 2);
}

inline std::vector<std::byte> reparse_bytes(const ReparseLayout& layout) {
  const bool is_link = layout.tag == kSymbolicLinkTag;
  const auto name_bytes = static_cast<uint32_t>(2 * layout.name.size());
  const auto shown_bytes = static_cast<uint32_t>(2 * layout.shown.size());
  // A mount point's names end with a zero each.
  const uint32_t fixed = is_link ? 12 : 8, zero = is_link ? 0 : 2;
  std::vector<std::byte> bytes;
  append_number(bytes, layout.tag, 4);
  append_number(bytes, layout.data_length.value_or(fixed + name_bytes + shown_bytes + 2 * zero), 2);
  append_number(bytes, 0, 2);
  append_number(bytes, layout.name_offset.value_or(0), 2);
  append_number(bytes, layout.name_length.value_or(name_bytes), 2);
  append_number(bytes, name_bytes + zero, 2);
  append_number(bytes, shown_bytes, 2);
  if (is_link) append_number(bytes, layout.flags, 4);
  append_units(bytes, layout.name);
  append_number(bytes, 0, zero);
  append_units(bytes, layout.shown);
  append_number(bytes, 0, zero);
  return bytes;
}

}  // namespace longshore::test
