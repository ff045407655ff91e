// Inputs that are mostly right: a whole file with a few bytes changed, which gets a fuzzer past the
// first checks of a format at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace longshore::fuzz {

// `input` is a list of four bytes each: a place, low byte first (3), and the value to put there.
inline std::string patched(std::string whole, std::span<const uint8_t> input) {
  for (size_t i = 0; i + 4 <= input.size(); i += 4) {
    const size_t place = input[i] | size_t{input[i + 1]} << 8 | size_t{input[i + 2]} << 16;
    if (!whole.empty()) whole[place % whole.size()] = static_cast<char>(input[i + 3]);
  }
  return whole;
}

}  // namespace longshore::fuzz
