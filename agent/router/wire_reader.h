// Reads protobuf's wire format, which may be anything: callers send it.
#pragma once

#include <cstdint>
#include <string_view>

namespace longshore::router {

// After an error everything reads as zero, and it is at its end.
class WireReader {
 public:
  explicit WireReader(std::string_view bytes) : bytes_(bytes) {}

  bool at_end() const { return bytes_.empty() || failed_; }
  bool failed() const { return failed_; }
  void fail() { failed_ = true; }

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
  std::string_view bytes_;
  bool failed_ = false;
};

}  // namespace longshore::router
