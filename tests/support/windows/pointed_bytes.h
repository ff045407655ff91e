// An answer of Windows' with pointers in it, put together by hand: the bytes of structures, and of
// the texts and arrays that they point at, as if they lay at an address of its choice.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "support/windows/pointed_answer.h"

namespace longshore::test {

class PointedBytes {
 public:
  static constexpr uint64_t kAddress = 0x7ffe'1234'5670;

  // Each answers where it lies.
  template <typename Structure>
  requires std::is_trivially_copyable_v<Structure> uint64_t add(const Structure& structure) {
    bytes_.resize((bytes_.size() + alignof(Structure) - 1) / alignof(Structure) *
                  alignof(Structure));
    return append(&structure, sizeof(structure));
  }
  // With a zero behind it.
  uint64_t add(const char16_t* text) {
    return append(text, (std::u16string_view(text).size() + 1) * sizeof(*text));
  }

  template <typename Structure>
  void put(uint64_t address, const Structure& structure) {
    std::memcpy(bytes_.data() + (address - kAddress), &structure, sizeof(structure));
  }

  size_t size() const { return bytes_.size(); }
  uint64_t end() const { return kAddress + bytes_.size(); }

  // On the heap and no longer than it says: a sanitizer sees what is read behind its end. Until the
  // next one.
  support::PointedAnswer answer(size_t cut_to = SIZE_MAX) {
    return support::PointedAnswer(plain(cut_to), kAddress);
  }
  std::span<const std::byte> plain(size_t cut_to = SIZE_MAX) {
    const size_t size = std::min(cut_to, bytes_.size());
    copy_ = std::make_unique<std::byte[]>(size);
    std::copy_n(bytes_.begin(), size, copy_.get());
    return {copy_.get(), size};
  }

 private:
  uint64_t append(const void* data, size_t size) {
    const size_t place = bytes_.size();
    bytes_.resize(place + size);
    std::memcpy(bytes_.data() + place, data, size);
    return kAddress + place;
  }

  std::vector<std::byte> bytes_;
  std::unique_ptr<std::byte[]> copy_;
};

}  // namespace longshore::test
