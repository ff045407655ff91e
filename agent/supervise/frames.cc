#include "supervise/frames.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

namespace longshore::supervise {
namespace {

constexpr size_t kUsualBytes = 64 << 10;
constexpr uint64_t kSecret = 1;  // the only flag

void put(char* at, uint64_t number, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i) at[i] = static_cast<char>(number >> (8 * i));
}

uint64_t get(const char* at, size_t bytes) {
  uint64_t number = 0;
  for (size_t i = 0; i < bytes; ++i) {
    number |= static_cast<uint64_t>(static_cast<unsigned char>(at[i])) << (8 * i);
  }
  return number;
}

Error malformed(std::string why) {
  return Error(StatusCode::kInternal, "read a frame").because(std::move(why));
}

}  // namespace

FrameHeader header_of(const Frame& frame) {
  FrameHeader header{};
  put(header.data(), static_cast<uint32_t>(frame.type), 4);
  put(header.data() + 4, frame.head.size(), 4);
  put(header.data() + 8, frame.payload.size(), 4);
  put(header.data() + 12, frame.is_secret ? kSecret : 0, 4);
  put(header.data() + 16, frame.id, 8);
  return header;
}

void FrameReader::wipe_last() {
  wipe(buffer_.data() + begin_ - secret_, secret_);
  secret_ = 0;
}

bool FrameReader::has_secret_part() const {
  return unread().size() >= kFrameHeaderBytes && get(unread().data() + 12, 4) == kSecret;
}

void FrameReader::grow(size_t size) {
  std::vector<char> larger(size);
  std::copy_n(buffer_.begin(), end_, larger.begin());
  if (has_secret_part()) wipe(buffer_.data(), buffer_.size());
  buffer_ = std::move(larger);
}

std::span<char> FrameReader::room() {
  wipe_last();
  if (begin_ == end_ && buffer_.size() > kUsualBytes) buffer_ = {};  // after a large one
  if (begin_ > 0) {
    const bool has_secret = has_secret_part();
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    if (has_secret) wipe(buffer_.data() + end_, begin_);
    begin_ = 0;
  }
  const size_t needed = std::max(end_, wanted_) + 1;
  if (buffer_.size() < needed) grow(std::max(kUsualBytes, needed));
  return {buffer_.data() + end_, buffer_.size() - end_};
}

Result<std::optional<Frame>> FrameReader::next() {
  wipe_last();
  const std::string_view bytes = unread();
  if (bytes.size() < kFrameHeaderBytes) {
    wanted_ = kFrameHeaderBytes;
    return std::optional<Frame>();
  }
  const uint64_t type = get(bytes.data(), 4);
  const uint64_t head = get(bytes.data() + 4, 4);
  const uint64_t payload = get(bytes.data() + 8, 4);
  if (type == 0 || type > static_cast<uint64_t>(kLastFrameType)) {
    return malformed("there is no type " + std::to_string(type));
  }
  const uint64_t flags = get(bytes.data() + 12, 4);
  if (flags > kSecret) return malformed("its header is damaged");
  if (head + payload > max_frame_bytes_) {
    return malformed("it has " + std::to_string(head + payload) +
                     " bytes, more than the limit of " + std::to_string(max_frame_bytes_));
  }
  wanted_ = kFrameHeaderBytes + head + payload;
  if (bytes.size() < wanted_) return std::optional<Frame>();
  begin_ += wanted_;
  if (flags == kSecret) secret_ = wanted_ - kFrameHeaderBytes;
  wanted_ = kFrameHeaderBytes;
  return std::optional<Frame>(Frame{static_cast<FrameType>(type), get(bytes.data() + 16, 8),
                                    bytes.substr(kFrameHeaderBytes, head),
                                    bytes.substr(kFrameHeaderBytes + head, payload),
                                    flags == kSecret});
}

}  // namespace longshore::supervise
