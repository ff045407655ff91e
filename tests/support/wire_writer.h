// Protobuf's wire format, written by hand: what a test compares generated messages with, so that
// the numbers and types in it come from csi-proxy's tables and not from our .proto files.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace longshore::test {

class WireWriter {
 public:
  // A field of type uint32, uint64, int64 (not negative), bool or enum.
  WireWriter& number(uint32_t field, uint64_t value) {
    varint(uint64_t{field} << 3);
    varint(value);
    return *this;
  }

  // A field of type string, bytes or message.
  WireWriter& text(uint32_t field, std::string_view value) {
    varint((uint64_t{field} << 3) | 2);
    varint(value.size());
    bytes_ += value;
    return *this;
  }

  const std::string& bytes() const { return bytes_; }
  operator std::string() const { return bytes_; }  // NOLINT(*-explicit-*)

 private:
  void varint(uint64_t value) {
    for (; value > 127; value >>= 7) bytes_ += static_cast<char>((value & 127) | 128);
    bytes_ += static_cast<char>(value);
  }

  std::string bytes_;
};

}  // namespace longshore::test
