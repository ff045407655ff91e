#include "tools/module_check/response_fault.h"

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "tools/module_check/subject.h"
#include "tools/module_check/wire.h"

namespace longshore::module_check {
namespace {

namespace descriptors = module::descriptors;

constexpr int kMaxNesting = 64;

// Whether the text is UTF-8, by the bytes' shapes and the shortest form.
bool is_utf8(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    const auto at = [&](size_t place) { return static_cast<unsigned char>(text[place]); };
    const unsigned char first = at(i);
    const size_t size = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    if ((first >= 0x80 && first < 0xc2) || first > 0xf4 || i + size > text.size()) return false;
    uint32_t code = size == 1 ? first : first & (0xffU >> (size + 1));
    for (size_t j = 1; j < size; ++j) {
      if ((at(i + j) & 0xc0) != 0x80) return false;
      code = code << 6 | (at(i + j) & 0x3fU);
    }
    const bool is_shortest = size < 3 || code >= (size == 3 ? 0x800U : 0x10000U);
    if (!is_shortest || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return false;
    i += size;
  }
  return true;
}

std::string fault_at(std::string_view bytes, const descriptors::Message& type,
                     const descriptors::FileSet& files, int depth);

std::string field_fault(std::string_view value, unsigned wire_type, const descriptors::Field& field,
                        const descriptors::FileSet& files, int depth) {
  const WireType expected = wire_type_of(field.type());
  const bool is_packed = field.label() == kRepeated && expected != kSized && wire_type == kSized;
  if (is_packed) return {};
  if (wire_type != expected) return field.name() + " is encoded as another type";
  if (field.type() == kString && !is_utf8(value)) return field.name() + " is not UTF-8";
  if (field.type() != kMessage) return {};
  const auto* inner = message_type(files, field.type_name());
  const std::string fault = inner ? fault_at(value, *inner, files, depth + 1) : std::string();
  return fault.empty() ? fault : field.name() + ": " + fault;
}

std::string fault_at(std::string_view bytes, const descriptors::Message& type,
                     const descriptors::FileSet& files, int depth) {
  WireReader reader(bytes);
  while (!reader.at_end() && depth < kMaxNesting) {
    const WireReader::Tag tag = reader.tag();
    std::string_view value;  // of a number nobody wants it
    if (tag.wire_type == kSized) {
      value = reader.sized();
    } else {
      reader.skip(tag.wire_type);
    }
    if (reader.failed()) return "it is no message";
    const auto field = std::ranges::find_if(type.field(), [&](const auto& each) {
      return static_cast<uint32_t>(each.number()) == tag.field;
    });
    if (field == type.field().end() || field->type() == kGroup) continue;
    std::string fault = field_fault(value, tag.wire_type, *field, files, depth);
    if (!fault.empty()) return fault;
  }
  return {};
}

}  // namespace

std::string response_fault(std::string_view bytes, const descriptors::Message& type,
                           const descriptors::FileSet& files) {
  return fault_at(bytes, type, files, 0);
}

}  // namespace longshore::module_check
