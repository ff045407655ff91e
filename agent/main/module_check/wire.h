// Numbers of protobuf's descriptors and of its encoding.
#pragma once

namespace longshore::module_check {

// Of google.protobuf.FieldDescriptorProto.Type.
enum FieldType {
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
  kSint64 = 18,
};

// Of google.protobuf.FieldDescriptorProto.Label.
inline constexpr int kRepeated = 3;

enum WireType { kVarint = 0, kEightBytes = 1, kLengthDelimited = 2, kFourBytes = 5 };

inline WireType wire_type_of(int type) {
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
      return kLengthDelimited;
    default:
      return kVarint;
  }
}

}  // namespace longshore::module_check
