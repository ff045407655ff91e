#include "system/windows/smbios.h"

#include <algorithm>
#include <string_view>

namespace longshore::system {
namespace {

constexpr size_t kTableHeaderBytes = 8;
constexpr size_t kTableLengthAt = 4;
constexpr size_t kStructureHeaderBytes = 4;  // type, length, handle
constexpr unsigned kSystemInformation = 1;
constexpr unsigned kEndOfTable = 127;
constexpr size_t kSerialNumberAt = 7;

using Bytes = std::span<const std::byte>;

unsigned number_at(Bytes bytes, size_t place) { return std::to_integer<unsigned>(bytes[place]); }

size_t length_in(Bytes table) {
  size_t length = 0;
  for (size_t i = 0; i < 4; ++i) {
    length |= static_cast<size_t>(number_at(table, kTableLengthAt + i)) << (8 * i);
  }
  return length;
}

// A structure and what follows its own bytes: texts that end with a zero each, and another zero.
struct Structure {
  Bytes fields;
  std::string_view texts;  // without the last zero
};

// Takes the first structure off `rest`; nothing if it is cut short.
std::optional<Structure> take_structure(Bytes& rest) {
  if (rest.size() < kStructureHeaderBytes) return {};
  const size_t length = number_at(rest, 1);
  if (length < kStructureHeaderBytes || length > rest.size()) return {};
  const Bytes behind = rest.subspan(length);
  const std::string_view text(reinterpret_cast<const char*>(behind.data()), behind.size());
  const size_t end = text.find(std::string_view("\0\0", 2));
  if (end == text.npos) return {};
  const Structure structure{rest.first(length), text.substr(0, end + 1)};
  rest = behind.subspan(end + 2);
  return structure;
}

// Texts are counted from 1; 0 is none.
std::string_view text_number(std::string_view texts, unsigned number) {
  while (number > 1 && !texts.empty()) {
    texts.remove_prefix(std::min(texts.find('\0'), texts.size() - 1) + 1);
    --number;
  }
  return number == 0 ? std::string_view() : texts.substr(0, texts.find('\0'));
}

std::string without_blanks(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const size_t first = text.find_first_not_of(kBlanks);
  if (first == text.npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(kBlanks) - first + 1));
}

}  // namespace

std::optional<std::string> smbios_serial_number(Bytes table) {
  if (table.size() < kTableHeaderBytes) return {};
  Bytes rest = table.subspan(kTableHeaderBytes);
  rest = rest.first(std::min(rest.size(), length_in(table)));
  while (const std::optional<Structure> structure = take_structure(rest)) {
    const unsigned type = number_at(structure->fields, 0);
    if (type == kEndOfTable) break;
    if (type != kSystemInformation || structure->fields.size() <= kSerialNumberAt) continue;
    std::string serial = without_blanks(
        text_number(structure->texts, number_at(structure->fields, kSerialNumberAt)));
    if (!serial.empty()) return serial;
  }
  return {};
}

}  // namespace longshore::system
