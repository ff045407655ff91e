// Reads protobuf's wire format, which may be anything: callers send it. Protobuf's own reader
// decodes; what is here keeps texts where they are, and passes over groups of any depth.
#pragma once

#include <google/protobuf/io/coded_stream.h>

#include <climits>
#include <cstdint>
#include <string_view>

#include "router/field_type.h"

namespace longshore::router {

// After an error everything reads as zero, and it is at its end.
class WireReader {
 public:
  explicit WireReader(std::string_view bytes)
      : bytes_(bytes.substr(0, INT_MAX)),
        input_(reinterpret_cast<const uint8_t*>(bytes_.data()), static_cast<int>(bytes_.size())) {}

  bool at_end() { return failed_ || input_.ExpectAtEnd(); }
  bool failed() const { return failed_; }

  struct Tag {
    uint32_t field;
    unsigned wire_type;
  };

  // Of 32 bits: what a longer one has above them, protobuf's own parser drops as well.
  Tag tag() {
    const uint32_t tag = input_.ReadTag();
    if (tag >> 3 == 0) failed_ = true;
    return {tag >> 3, tag & 7};
  }

  // Past the value of a tag that nobody asks for.
  void skip(unsigned wire_type) {
    switch (wire_type) {
      case kVarint:
      case kEightBytes:
      case kFourBytes:
        number(static_cast<WireType>(wire_type));
        break;
      case kSized:
        sized();
        break;
      case kGroupBegin:
        skip_group();
        break;
      default:
        failed_ = true;
    }
  }

  // A number that is written in the given way.
  uint64_t number(WireType wire_type) {
    uint64_t value = 0;
    uint32_t narrow = 0;
    const bool is_read = wire_type == kVarint       ? input_.ReadVarint64(&value)
                         : wire_type == kEightBytes ? input_.ReadLittleEndian64(&value)
                                                    : input_.ReadLittleEndian32(&narrow);
    if (is_read) return value | narrow;
    failed_ = true;
    return 0;
  }

  // The bytes of a string, of bytes or of a message.
  std::string_view sized() {
    int size = 0;
    failed_ = failed_ || !input_.ReadVarintSizeAsInt(&size);
    const int begin = input_.CurrentPosition();
    failed_ = failed_ || !input_.Skip(size);
    if (failed_) return {};
    return bytes_.substr(static_cast<size_t>(begin), static_cast<size_t>(size));
  }

 private:
  // No proto3 message has groups, but its parser passes over those that a caller puts in. Not by
  // recursion, as protobuf would: it gives up where a module's parser may go on.
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
  google::protobuf::io::CodedInputStream input_;
  bool failed_ = false;
};

}  // namespace longshore::router
