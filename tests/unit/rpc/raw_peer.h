// The other end of a connection, written by hand: any bytes may be sent, and what comes is cut into
// frames without judging it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/unit/rpc/memory_link.h"

namespace longshore::rpc {

using RawFields = std::vector<std::pair<std::string, std::string>>;

enum class FrameType : uint8_t {
  kData = 0,
  kHeaders = 1,
  kPriority = 2,
  kReset = 3,
  kSettings = 4,
  kPushPromise = 5,
  kPing = 6,
  kGoaway = 7,
  kWindowUpdate = 8,
  kContinuation = 9,
};
inline constexpr uint8_t kEndStream = 1;
inline constexpr uint8_t kAck = 1;
inline constexpr uint8_t kEndHeaders = 4;

struct RawFrame {
  FrameType type;
  uint8_t flags = 0;
  uint32_t stream = 0;
  std::string payload;
  RawFields fields;  // of HEADERS, decoded
};

// Bytes of single parts, for sending.
std::string number_bytes(uint64_t value, int bytes);
std::string frame_bytes(FrameType type, uint8_t flags, uint32_t stream, std::string_view payload);
// A header block without compression.
std::string block_bytes(const RawFields& fields);
// gRPC's prefix and the message.
std::string message_bytes(std::string_view message, char flag = 0);

class RawPeer {
 public:
  enum class Role { kClient, kServer };
  RawPeer(MemoryLink& link, Role role);
  ~RawPeer();

  void send(const std::string& bytes);
  void send(FrameType type, uint8_t flags, uint32_t stream, std::string_view payload = {});
  void send_fields(uint32_t stream, const RawFields& fields, uint8_t flags = kEndHeaders);
  // Client: preface and settings. Server: settings.
  void greet();

  // What a gRPC client says first; `more` is put behind.
  static RawFields request_fields(const std::string& path, const RawFields& more = {});
  // A whole unary call.
  void send_call(uint32_t stream, const std::string& path, const std::string& message,
                 const RawFields& more = {});

  // Frames that have come since the last time.
  std::vector<RawFrame> receive();
  // Those of one stream, without WINDOW_UPDATE.
  std::vector<RawFrame> receive(uint32_t stream);
  // The first of its type; the others are dropped.
  std::optional<RawFrame> receive(FrameType type);

  bool is_closed();

 private:
  struct Decoder;

  MemoryLink& link_;
  MemoryLink::Direction& out_;
  MemoryLink::Direction& in_;
  const Role role_;
  std::string rest_;
  bool preface_seen_ = false;
  std::unique_ptr<Decoder> decoder_;
};

// The value of a field, or "<none>".
std::string value_of(const RawFields& fields, std::string_view name);
// The error code of a RST_STREAM or GOAWAY frame.
uint32_t error_of(const RawFrame& frame);

}  // namespace longshore::rpc
