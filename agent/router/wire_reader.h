// Reads protobuf's wire format, which may be anything: callers send it.
#pragma once

#include <cstdint>
#include <string_view>

namespace longshore::router {

enum WireType : unsigned {
  kVarint = 0,
  kEightBytes = 1,
  kSized = 2,
  kGroupBegin = 3,
  kGroupEnd = 4,
  kFourBytes = 5
};

// After an error everything reads as zero, and it is at its end.
class WireReader {
 public:
  explicit WireReader(std::string_view bytes) : bytes_(bytes) {}

  bool at_end() const { return bytes_.empty() || failed_; }
  bool failed() const { return failed_; }

  struct Tag {
    uint32_t field;
    unsigned wire_type;
  };

  // Of 32 bits: what a longer one has above them, protobuf's own parser drops as well.
  Tag tag() {
    const auto tag = static_cast<uint32_t>(varint());
    if (tag >> 3 == 0) failed_ = true;
    return {tag >> 3, tag & 7};
  }

  // Past the value of a tag that nobody asks for.
  void skip(unsigned wire_type) {
    switch (wire_type) {
      case kVarint:
        varint();
        break;
      case kEightBytes:
        take(8);
        break;
      case kSized:
        take(varint());
        break;
      case kGroupBegin:
        skip_group();
        break;
      case kFourBytes:
        take(4);
        break;
      default:
        failed_ = true;
    }
  }

  // A number that is written in the given way.
  uint64_t number(WireType wire_type) {
    if (wire_type == kVarint) return varint();
    return fixed(wire_type == kEightBytes ? 8 : 4);
  }

  uint64_t varint() {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && !bytes_.empty(); shift += 7) {
      const auto byte = static_cast<unsigned char>(bytes_.front());
      bytes_.remove_prefix(1);
      value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    failed_ = true;
    return 0;
  }

  // 4 or 8 bytes in little-endian order.
  uint64_t fixed(unsigned size) {
    const std::string_view bytes = take(size);
    uint64_t value = 0;
    for (size_t i = bytes.size(); i > 0; --i) {
      value = value << 8 | static_cast<unsigned char>(bytes[i - 1]);
    }
    return value;
  }

  std::string_view take(uint64_t size) {
    if (size > bytes_.size()) {
      failed_ = true;
      return {};
    }
    const std::string_view taken = bytes_.substr(0, static_cast<size_t>(size));
    bytes_.remove_prefix(static_cast<size_t>(size));
    return taken;
  }

 private:
  // No proto3 message has groups, but its parser passes over those that a caller puts in.
  void skip_group() {
    for (size_t open = 1; open > 0 && !failed_;) {
      const unsigned wire_type = tag().wire_type;
      if (wire_type == kGroupBegin) {
        ++open;
      } else if (wire_type == kGroupEnd) {
        --open;
      } else {
        skip(wire_type);
      }
    }
  }

  std::string_view bytes_;
  bool failed_ = false;
};

}  // namespace longshore::router
