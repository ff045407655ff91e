// Bounds of one connection, for both roles.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace longshore::rpc {

// The defaults fit local drivers: grpc-go's 4 MiB message limit, and room for 1,000 streams.
struct Limits {
  size_t max_message_bytes = 4u << 20;        // inbound, also after decompression
  size_t max_send_message_bytes = 64u << 20;  // outbound, before compression

  uint32_t max_concurrent_streams = 1024;
  size_t max_header_bytes = 16u << 10;  // of one call, counted as HTTP/2 does (32 more a field)

  // Request bytes held for messages that are not whole yet, or that nobody asked for. One half is
  // for small messages, the other for large ones, which take turns.
  size_t max_buffered_bytes = 16u << 20;
  uint32_t stream_window_bytes = 64u << 10;
  uint32_t connection_window_bytes = 1u << 20;

  // Response bytes that the peer has not read: of one stream, above which ServerStream::send
  // answers false, and of the connection, above which further answers fail with RESOURCE_EXHAUSTED.
  size_t stream_unsent_bytes = 256u << 10;
  size_t max_unsent_bytes = 256u << 20;

  std::chrono::milliseconds preface_timeout{0};  // 0: a silent client may stay (it costs nothing)

  // A draining connection waits this long for the answer to its ping, which tells that the client
  // has seen the first GOAWAY; and then this long for the calls that run.
  std::chrono::milliseconds drain_ping_timeout{1000};
  std::chrono::milliseconds drain_timeout{30000};

  // Per second, above which the peer gets GOAWAY(ENHANCE_YOUR_CALM); each kind counts alone. Pings
  // that follow an answer of ours are free: grpc-go measures its round trips with them.
  uint32_t max_pings_per_second = 100;
  uint32_t max_settings_per_second = 20;
  uint32_t max_resets_per_second = 400;
  uint32_t max_idle_frames_per_second = 2000;  // PRIORITY, and DATA without data
};

}  // namespace longshore::rpc
