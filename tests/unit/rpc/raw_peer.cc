#include "tests/unit/rpc/raw_peer.h"

#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <utility>

namespace longshore::rpc {
namespace {

constexpr size_t kFrameHeadBytes = 9;

uint32_t number_of(std::string_view bytes) {
  uint32_t number = 0;
  for (const char byte : bytes) number = number << 8 | static_cast<unsigned char>(byte);
  return number;
}

// HPACK's string without Huffman coding: a length with a prefix of seven bits, then the bytes.
std::string hpack_string(std::string_view text) {
  std::string bytes;
  size_t length = text.size();
  if (length < 127) {
    bytes += static_cast<char>(length);
  } else {
    bytes += '\x7f';
    for (length -= 127; length >= 128; length >>= 7) bytes += static_cast<char>(length | 128);
    bytes += static_cast<char>(length);
  }
  return bytes.append(text);
}

}  // namespace

struct RawPeer::Decoder {
  Decoder() { nghttp2_hd_inflate_new(&inflater); }
  ~Decoder() { nghttp2_hd_inflate_del(inflater); }

  RawFields decode(const std::string& block) {
    RawFields fields;
    auto bytes = reinterpret_cast<const uint8_t*>(block.data());
    size_t left = block.size();
    for (;;) {
      nghttp2_nv field{};
      int flags = 0;
      const ssize_t used = nghttp2_hd_inflate_hd2(inflater, &field, &flags, bytes, left, 1);
      if (used < 0) return {{"<broken>", nghttp2_strerror(static_cast<int>(used))}};
      bytes += used;
      left -= static_cast<size_t>(used);
      if ((flags & NGHTTP2_HD_INFLATE_EMIT) != 0) {
        fields.emplace_back(std::string(reinterpret_cast<char*>(field.name), field.namelen),
                            std::string(reinterpret_cast<char*>(field.value), field.valuelen));
      }
      if ((flags & NGHTTP2_HD_INFLATE_FINAL) != 0) break;
    }
    nghttp2_hd_inflate_end_headers(inflater);
    return fields;
  }

  nghttp2_hd_inflater* inflater = nullptr;
};

std::string number_bytes(uint64_t value, int bytes) {
  std::string text;
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) {
    text += static_cast<char>(value >> shift & 255);
  }
  return text;
}

std::string frame_bytes(FrameType type, uint8_t flags, uint32_t stream, std::string_view payload) {
  return number_bytes(payload.size(), 3) + static_cast<char>(type) + static_cast<char>(flags) +
         number_bytes(stream, 4) + std::string(payload);
}

std::string block_bytes(const RawFields& fields) {
  std::string block;
  for (const auto& [name, value] : fields) {
    block += '\0';  // literal, not indexed, new name
    block += hpack_string(name) + hpack_string(value);
  }
  return block;
}

std::string message_bytes(std::string_view message, char flag) {
  return flag + number_bytes(message.size(), 4) + std::string(message);
}

RawPeer::RawPeer(MemoryLink& link, Role role)
    : link_(link),
      out_(role == Role::kClient ? link.to_server() : link.to_client()),
      in_(role == Role::kClient ? link.to_client() : link.to_server()),
      role_(role),
      decoder_(std::make_unique<Decoder>()) {}

RawPeer::~RawPeer() = default;

void RawPeer::send(const std::string& bytes) { link_.write(out_, bytes); }

void RawPeer::send(FrameType type, uint8_t flags, uint32_t stream, std::string_view payload) {
  send(frame_bytes(type, flags, stream, payload));
}

void RawPeer::send_fields(uint32_t stream, const RawFields& fields, uint8_t flags) {
  send(FrameType::kHeaders, flags, stream, block_bytes(fields));
}

void RawPeer::greet() {
  if (role_ == Role::kClient) send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
  send(FrameType::kSettings, 0, 0);
}

RawFields RawPeer::request_fields(const std::string& path, const RawFields& more) {
  RawFields fields = {{":method", "POST"}, {":scheme", "http"},
                      {":path", path},     {":authority", "anything"},
                      {"te", "trailers"},  {"content-type", "application/grpc"}};
  fields.insert(fields.end(), more.begin(), more.end());
  return fields;
}

void RawPeer::send_call(uint32_t stream, const std::string& path, const std::string& message,
                        const RawFields& more) {
  send_fields(stream, request_fields(path, more));
  send(FrameType::kData, kEndStream, stream, message_bytes(message));
}

std::vector<RawFrame> RawPeer::receive() {
  link_.run();
  rest_ += link_.read(in_);
  std::string_view bytes = rest_;
  if (role_ == Role::kServer && !preface_seen_) {
    if (bytes.size() < NGHTTP2_CLIENT_MAGIC_LEN) return {};
    bytes.remove_prefix(NGHTTP2_CLIENT_MAGIC_LEN);
    preface_seen_ = true;
  }
  std::vector<RawFrame> frames;
  while (bytes.size() >= kFrameHeadBytes) {
    const size_t length = number_of(bytes.substr(0, 3));
    if (bytes.size() < kFrameHeadBytes + length) break;
    RawFrame frame;
    frame.type = static_cast<FrameType>(bytes[3]);
    frame.flags = static_cast<uint8_t>(bytes[4]);
    frame.stream = number_of(bytes.substr(5, 4)) & 0x7fffffff;
    frame.payload = bytes.substr(kFrameHeadBytes, length);
    bytes.remove_prefix(kFrameHeadBytes + length);
    if (frame.type == FrameType::kHeaders) frame.fields = decoder_->decode(frame.payload);
    frames.push_back(std::move(frame));
  }
  rest_ = bytes;
  return frames;
}

std::vector<RawFrame> RawPeer::receive(uint32_t stream) {
  std::vector<RawFrame> frames = receive();
  std::erase_if(frames, [&](const RawFrame& frame) {
    return frame.stream != stream || frame.type == FrameType::kWindowUpdate;
  });
  return frames;
}

std::optional<RawFrame> RawPeer::receive(FrameType type) {
  const std::vector<RawFrame> frames = receive();
  const auto found = std::find_if(frames.begin(), frames.end(),
                                  [&](const RawFrame& frame) { return frame.type == type; });
  if (found == frames.end()) return std::nullopt;
  return *found;
}

bool RawPeer::is_closed() {
  link_.run();
  return in_.closed;
}

std::string value_of(const RawFields& fields, std::string_view name) {
  for (const auto& [key, value] : fields) {
    if (key == name) return value;
  }
  return "<none>";
}

uint32_t error_of(const RawFrame& frame) {
  return number_of(
      std::string_view(frame.payload).substr(frame.type == FrameType::kGoaway ? 4 : 0, 4));
}

}  // namespace longshore::rpc
