// Structs with a `struct_size` that a module passes: perhaps shorter than ours, perhaps longer.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace longshore::loader {

// How many bytes of a `Struct` both sides know, when the other says that its own has `size`. Fields
// are of 8 bytes, or two of 4: of a field that is cut, half a pointer for one, nothing is taken.
template <typename Struct>
constexpr size_t common_bytes(size_t size) {
  constexpr size_t kField = 8;
  static_assert(sizeof(Struct) % kField == 0);
  return std::min(size, sizeof(Struct)) / kField * kField;
}

// What both know of it; the rest is zero.
template <typename Struct>
Struct copy_of(const Struct* theirs) {
  Struct copy{};
  std::memcpy(static_cast<void*>(&copy), theirs, common_bytes<Struct>(theirs->struct_size));
  return copy;
}

}  // namespace longshore::loader
