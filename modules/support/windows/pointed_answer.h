// An answer of Windows' that has pointers in it: structures in a buffer, and behind them the texts
// and arrays that they point at, in the same buffer.
//
// Such an address is a number here, which is followed only where all that is read there lies within
// the answer. So no answer has anything else read, whatever its counts and addresses are, and what
// reads answers runs under sanitizers and fuzzers on every system: for those the bytes may lie
// elsewhere than they did when they were written.
//
// Threads: a plain value. Owner: the bytes outlive it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace longshore::support {

class PointedAnswer {
 public:
  // The bytes lie where Windows wrote them.
  explicit PointedAnswer(std::span<const std::byte> bytes)
      : PointedAnswer(bytes, reinterpret_cast<uintptr_t>(bytes.data())) {}
  // They lay at `address` then.
  PointedAnswer(std::span<const std::byte> bytes, uint64_t address)
      : bytes_(bytes), address_(address) {}

  size_t size() const { return bytes_.size(); }

  // So many structures at an address, and at the front; nothing if they do not lie there whole, or
  // the address is not aligned.
  template <typename Structure>
  std::optional<std::vector<Structure>> array(uint64_t address, uint64_t count) const {
    const auto offset = offset_of(address, alignof(Structure));
    return offset ? structures_at<Structure>(*offset, count) : std::nullopt;
  }
  template <typename Structure>
  std::optional<std::vector<Structure>> front(uint64_t count) const {
    return structures_at<Structure>(0, count);
  }

  // The text at an address, UTF-16 with a zero at its end, as UTF-8; nothing if there is no zero
  // within the answer, or within `most_units` where many structures may point at one long text.
  std::optional<std::string> text(uint64_t address, size_t most_units = SIZE_MAX) const;

 private:
  template <typename Structure>
  std::optional<std::vector<Structure>> structures_at(size_t offset, uint64_t count) const {
    if (count > (bytes_.size() - offset) / sizeof(Structure)) return std::nullopt;
    std::vector<Structure> structures(count);
    if (count != 0) {
      std::memcpy(structures.data(), bytes_.data() + offset, count * sizeof(Structure));
    }
    return structures;
  }
  // At most the size.
  std::optional<size_t> offset_of(uint64_t address, size_t alignment) const {
    if (address < address_ || address - address_ > bytes_.size()) return std::nullopt;
    if (address % alignment != 0) return std::nullopt;
    return static_cast<size_t>(address - address_);
  }

  std::span<const std::byte> bytes_;
  uint64_t address_;
};

// UTF-16 as UTF-8. Half of a surrogate pair becomes U+FFFD.
std::string utf8_of(std::u16string_view text);

// The text in an array of a fixed size, to its zero if it has one.
template <size_t size>
std::string text_in(const char16_t (&array)[size]) {
  const std::u16string_view all(array, size);
  return utf8_of(all.substr(0, all.find(u'\0')));
}

}  // namespace longshore::support
