// What a fuzzer that acts step by step is told: its input, taken piece by piece.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace longshore::fuzz {

// Past the end everything is 0.
class Script {
 public:
  explicit Script(std::string_view bytes) : bytes_(bytes) {}

  bool is_over() const { return at_ >= bytes_.size(); }
  size_t at() const { return at_; }
  void go_to(size_t place) { at_ = place; }
  size_t number() { return is_over() ? 0 : static_cast<uint8_t>(bytes_[at_++]); }
  // From 0 to 64 KiB, small ones as fine as large ones.
  size_t size() {
    const size_t number = this->number();
    return ((number & 15) + 16) << (number >> 4) >> 4;
  }
  std::string_view text(size_t size) {
    const std::string_view text = bytes_.substr(std::min(at_, bytes_.size()), size);
    at_ += text.size();
    return text;
  }

 private:
  const std::string_view bytes_;
  size_t at_ = 0;
};

}  // namespace longshore::fuzz
