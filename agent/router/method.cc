#include "router/method.h"

#include <charconv>

namespace longshore::router {
namespace {

// Reads protobuf's wire format; after an error everything reads as zero and `failed` is true.
class WireReader {
 public:
  explicit WireReader(std::string_view bytes) : bytes_(bytes) {}

  bool at_end() const { return bytes_.empty() || failed_; }

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

  std::string_view take(uint64_t size) {
    if (size > bytes_.size()) {
      failed_ = true;
      return {};
    }
    const std::string_view taken = bytes_.substr(0, static_cast<size_t>(size));
    bytes_.remove_prefix(static_cast<size_t>(size));
    return taken;
  }

  void fail() { failed_ = true; }

 private:
  std::string_view bytes_;
  bool failed_ = false;
};

}  // namespace

std::string_view find_object(std::string_view request, uint32_t field, ObjectDigits& digits) {
  std::string_view object;
  if (field == 0) return object;
  WireReader reader(request);
  while (!reader.at_end()) {
    const uint64_t tag = reader.varint();
    const bool wanted = tag >> 3 == field;
    switch (tag & 7) {
      case 0: {
        const uint64_t value = reader.varint();
        if (!wanted) break;
        const char* const end =
            std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
        object = {digits.data(), static_cast<size_t>(end - digits.data())};
        break;
      }
      case 1:
        reader.take(8);
        break;
      case 2: {
        const std::string_view value = reader.take(reader.varint());
        if (wanted) object = value;
        break;
      }
      case 5:
        reader.take(4);
        break;
      default:
        reader.fail();
    }
  }
  return object;
}

std::string object_of(std::string_view request, uint32_t field) {
  ObjectDigits digits;
  return std::string(find_object(request, field, digits));
}

}  // namespace longshore::router
