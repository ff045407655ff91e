#include "rpc/message_framing.h"

#include <algorithm>

namespace longshore::rpc {

std::array<char, kMessagePrefixBytes> message_prefix(size_t length) {
  const auto byte = [length](int shift) { return static_cast<char>((length >> shift) & 0xff); };
  return {0, byte(24), byte(16), byte(8), byte(0)};
}

size_t MessageReader::length() const {
  size_t length = 0;
  for (size_t i = 1; i < prefix_.size(); ++i) {
    length = length << 8 | static_cast<unsigned char>(prefix_[i]);
  }
  return length;
}

MessageReader::Step MessageReader::read(std::string_view& bytes) {
  if (!prefix_is_whole()) {
    const size_t part = std::min(bytes.size(), kMessagePrefixBytes - prefix_size_);
    std::copy_n(bytes.begin(), part, prefix_.begin() + static_cast<ptrdiff_t>(prefix_size_));
    prefix_size_ += part;
    bytes.remove_prefix(part);
    if (!prefix_is_whole()) return Step::kMoreNeeded;
  }
  if (prefix_[0] != 0) return prefix_[0] == 1 ? Step::kCompressed : Step::kBroken;
  const size_t whole = length();
  if (whole > max_message_bytes_) return Step::kTooLarge;
  const size_t part = std::min(bytes.size(), whole - message_.size());
  append_apart(message_, bytes.substr(0, part));
  bytes.remove_prefix(part);
  return message_.size() == whole ? Step::kMessage : Step::kMoreNeeded;
}

void MessageReader::drop() {
  // Not all that was reserved: what nobody has touched takes no memory yet.
  wipe(message_.data(), message_.size());
  std::string().swap(message_);  // an assignment would keep the memory
  prefix_size_ = 0;
}

std::string MessageReader::take_message() {
  prefix_size_ = 0;
  std::string message = std::move(message_);
  message_.clear();
  return message;
}

}  // namespace longshore::rpc
