// The types of protobuf's fields, as descriptors number them, and their values as text.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace longshore::router {

// Of google.protobuf.FieldDescriptorProto.Type.
enum FieldType : int {
  kDouble = 1,
  kFloat = 2,
  kInt64 = 3,
  kUint64 = 4,
  kInt32 = 5,
  kFixed64 = 6,
  kFixed32 = 7,
  kBool = 8,
  kString = 9,
  kGroup = 10,
  kMessage = 11,
  kBytes = 12,
  kUint32 = 13,
  kEnum = 14,
  kSfixed32 = 15,
  kSfixed64 = 16,
  kSint32 = 17,
  kSint64 = 18
};

// How the bytes of a value are laid out, as tags number it.
enum WireType : unsigned {
  kVarint = 0,
  kEightBytes = 1,
  kSized = 2,
  kGroupBegin = 3,
  kGroupEnd = 4,
  kFourBytes = 5
};

// Of google.protobuf.FieldDescriptorProto.Label.
inline constexpr int kRepeated = 3;

inline bool is_known(int type) { return type >= kDouble && type <= kSint64 && type != kGroup; }

// How values of a type are written where they are not packed. What comes in another way is not the
// field's value to any reader.
WireType wire_type_of(int type);

// The longest number of 64 bits.
using Digits = std::array<char, 20>;

// What a reader takes the number for; of 32-bit types the upper half is nothing.
std::string_view integer_text(int type, uint64_t raw, Digits& digits);

}  // namespace longshore::router
