// Protobuf's wire format, read by hand: WireWriter's other half, for answers of which a test does
// not know every byte.
#pragma once

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace longshore::test {

// Throws std::runtime_error for bytes that are no message of numbers and texts.
class WireReader {
 public:
  explicit WireReader(std::string_view bytes) : rest_(bytes) {
    while (!rest_.empty()) {
      const uint64_t key = varint();
      const auto field = static_cast<uint32_t>(key >> 3);
      if ((key & 7) == 0) {
        numbers_[field] = varint();
      } else if ((key & 7) == 2) {
        texts_[field].push_back(take(varint()));
      } else {
        throw std::runtime_error("a wire type that csi-proxy never uses");
      }
    }
  }

  // A field that is not there is 0, as proto3 has it.
  uint64_t number(uint32_t field) const {
    const auto found = numbers_.find(field);
    return found == numbers_.end() ? 0 : found->second;
  }

  // Strings, bytes and messages; one for each time that the field is there.
  std::vector<std::string> texts(uint32_t field) const {
    const auto found = texts_.find(field);
    return found == texts_.end() ? std::vector<std::string>() : found->second;
  }

 private:
  std::string take(uint64_t size) {
    if (size > rest_.size()) throw std::runtime_error("the message ends too early");
    const std::string text(rest_.substr(0, size));
    rest_.remove_prefix(size);
    return text;
  }

  uint64_t varint() {
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const auto byte = static_cast<unsigned char>(take(1).front());
      value |= uint64_t{byte & 127u} << shift;
      if (byte < 128) return value;
    }
    throw std::runtime_error("a number without an end");
  }

  std::string_view rest_;
  std::map<uint32_t, uint64_t> numbers_;
  std::map<uint32_t, std::vector<std::string>> texts_;
};

}  // namespace longshore::test
