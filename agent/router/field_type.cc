#include "router/field_type.h"

#include <charconv>

namespace longshore::router {
namespace {

template <typename Integer>
std::string_view text_of(Integer value, Digits& digits) {
  const char* const end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  return {digits.data(), static_cast<size_t>(end - digits.data())};
}

}  // namespace

WireType wire_type_of(int type) {
  switch (type) {
    case kDouble:
    case kFixed64:
    case kSfixed64:
      return kEightBytes;
    case kFloat:
    case kFixed32:
    case kSfixed32:
      return kFourBytes;
    case kString:
    case kMessage:
    case kBytes:
      return kSized;
    default:
      return kVarint;
  }
}

std::string_view integer_text(int type, uint64_t raw, Digits& digits) {
  const auto narrow = static_cast<uint32_t>(raw);
  switch (type) {
    case kUint32:
    case kFixed32:
      return text_of(narrow, digits);
    case kInt32:
    case kEnum:
    case kSfixed32:
      return text_of(static_cast<int32_t>(narrow), digits);
    case kSint32:
      return text_of(static_cast<int32_t>((narrow >> 1) ^ (~(narrow & 1) + 1)), digits);
    case kSint64:
      return text_of(static_cast<int64_t>((raw >> 1) ^ (~(raw & 1) + 1)), digits);
    case kUint64:
    case kFixed64:
      return text_of(raw, digits);
    default:
      return text_of(static_cast<int64_t>(raw), digits);
  }
}

}  // namespace longshore::router
