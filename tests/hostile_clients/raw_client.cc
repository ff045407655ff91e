#include "tests/hostile_clients/raw_client.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "tests/unit/rpc/raw_peer.h"

namespace longshore::hostile_clients {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr size_t kFrameHeadBytes = 9;
constexpr size_t kMaxFrameBytes = 16384;
constexpr size_t kPingBytes = 8;
constexpr size_t kWindowUpdateBytes = 4;
// A server that takes nothing for so long does not want any more for now.
constexpr int kPatienceMilliseconds = 100;
constexpr uint16_t kInitialWindowSize = 4;

}  // namespace

RawClient::RawClient(const std::string& name, Traffic& traffic, std::optional<unsigned> user)
    : traffic_(traffic), stream_(name, user) {
  ++traffic_.connections;
}

bool RawClient::send(std::string_view bytes) {
  waiting_ += bytes;
  while (!waiting_.empty() && !closed()) {
    const size_t size = stream_.send(waiting_);
    traffic_.sent += size;
    waiting_.erase(0, size);
    if (size == 0 && !closed() && !stream_.wait_to_send(kPatienceMilliseconds)) break;
  }
  return waiting_.empty();
}

void RawClient::read() {
  for (std::string bytes = stream_.receive(); !bytes.empty(); bytes = stream_.receive()) {
    traffic_.received += bytes.size();
    heard_ += bytes.size();
    received_ += bytes;
    count_frames();
  }
}

void RawClient::count_frames() {
  size_t at = std::min(skip_, received_.size());
  skip_ -= at;
  while (received_.size() - at >= kFrameHeadBytes) {
    const auto byte = [&](size_t i) { return static_cast<unsigned char>(received_[at + i]); };
    const size_t length = size_t{byte(0)} << 16 | size_t{byte(1)} << 8 | byte(2);
    const auto type = static_cast<rpc::FrameType>(byte(3));
    const bool has_end = type == rpc::FrameType::kData || type == rpc::FrameType::kHeaders;
    if (has_end && (byte(4) & rpc::kEndStream) != 0) ++ended_;
    const auto number = [&](size_t i) {
      return uint32_t{byte(i)} << 24 | uint32_t{byte(i + 1)} << 16 | uint32_t{byte(i + 2)} << 8 |
             uint32_t{byte(i + 3)};
    };
    if (answers_pings_ && type == rpc::FrameType::kPing && (byte(4) & rpc::kAck) == 0) {
      if (received_.size() - at < kFrameHeadBytes + kPingBytes) break;
      answer_ping(std::string_view(received_).substr(at, kFrameHeadBytes + kPingBytes));
    }
    if (type == rpc::FrameType::kWindowUpdate) {
      if (received_.size() - at < kFrameHeadBytes + kWindowUpdateBytes) break;
      if ((number(5) & 0x7fffffff) == 0) window_ += number(kFrameHeadBytes);
    }
    at += kFrameHeadBytes;
    const size_t present = std::min(length, received_.size() - at);
    skip_ = length - present;
    at += present;
  }
  received_.erase(0, at);
}

void RawClient::answer_ping(std::string_view frame) {
  send(rpc::frame_bytes(rpc::FrameType::kPing, rpc::kAck, 0, frame.substr(kFrameHeadBytes)));
}

bool RawClient::hears(size_t bytes, int patience) {
  const auto end = steady_clock::now() + milliseconds(patience);
  for (read(); heard_ < bytes && !closed() && steady_clock::now() < end; read()) {
    stream_.wait_to_receive(kPatienceMilliseconds);
  }
  return heard_ >= bytes;
}

bool RawClient::may_send(size_t bytes, int patience) {
  const auto end = steady_clock::now() + milliseconds(patience);
  for (read(); !closed() && steady_clock::now() < end; hears(heard_ + 1, patience)) {
    if (std::cmp_greater_equal(window_, bytes)) return true;
  }
  return std::cmp_greater_equal(window_, bytes);
}

bool RawClient::closes_within(int patience) {
  hears(SIZE_MAX, patience);
  return closed();
}

void RawClient::send_with_descriptors(std::string_view bytes, int count) {
  traffic_.sent += stream_.send_with_descriptors(bytes, count);
}

void RawClient::greet(uint32_t window) {
  send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
  greet_settings(window);
}

void RawClient::greet_settings(uint32_t window) {
  using rpc::FrameType;
  using rpc::number_bytes;
  std::string bytes = rpc::frame_bytes(
      FrameType::kSettings, 0, 0, number_bytes(kInitialWindowSize, 2) + number_bytes(window, 4));
  if (window > 65535) {
    bytes += rpc::frame_bytes(FrameType::kWindowUpdate, 0, 0, number_bytes(window - 65535, 4));
  }
  bytes += rpc::frame_bytes(FrameType::kSettings, rpc::kAck, 0, {});
  send(bytes);
}

uint32_t RawClient::open(const std::string& path, bool ends) { return open_with(path, {}, ends); }

uint32_t RawClient::open_with(const std::string& path, const rpc::RawFields& more, bool ends) {
  const uint32_t stream = next_stream_;
  next_stream_ += 2;
  const auto flags = static_cast<uint8_t>(rpc::kEndHeaders | (ends ? rpc::kEndStream : 0));
  send(rpc::frame_bytes(rpc::FrameType::kHeaders, flags, stream,
                        rpc::block_bytes(rpc::RawPeer::request_fields(path, more))));
  return stream;
}

bool RawClient::send_data(uint32_t stream, std::string_view bytes, bool ends) {
  std::string frames;
  window_ -= static_cast<int64_t>(bytes.size());
  do {
    const std::string_view part = bytes.substr(0, kMaxFrameBytes);
    bytes.remove_prefix(part.size());
    const uint8_t flags = ends && bytes.empty() ? rpc::kEndStream : 0;
    frames += rpc::frame_bytes(rpc::FrameType::kData, flags, stream, part);
  } while (!bytes.empty());
  return send(frames);
}

}  // namespace longshore::hostile_clients
