// Bounds of one connection, for both roles.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace longshore::rpc {

// The defaults fit local drivers: grpc-go's 4 MiB message limit, and room for 1,000 streams.
struct Limits {
  size_t max_message_bytes = 4u << 20;        // inbound
  size_t max_send_message_bytes = 64u << 20;  // outbound

  uint32_t max_concurrent_streams = 1024;
  size_t max_header_bytes = 16u << 10;  // of one call, counted as HTTP/2 does (32 more a field)

  // Request bytes held for messages that are not whole yet, or that nobody asked for. One half is
  // for small messages, the other for large ones, which take turns.
  size_t max_buffered_bytes = 8u << 20;
  // Request bytes of calls that are under way. Above it the peer may send no further messages until
  // some of them are over; it is not told of an error.
  size_t call_bytes_high_watermark = 4u << 20;
  // All that a server's connection holds for its client, unsent responses and itself included: what
  // goes beyond fails with RESOURCE_EXHAUSTED. Where the server has an account of its own for the
  // connection, that one's limit holds.
  size_t max_memory_bytes = 16u << 20;
  uint32_t stream_window_bytes = 64u << 10;
  uint32_t connection_window_bytes = 1u << 20;

  // Response bytes that the peer has not read: of one stream, above which ServerStream::send
  // answers false, and of the connection, above which no message of a request is handed to its
  // handler. At half of that all streams of the connection are told to wait.
  size_t stream_unsent_bytes = 256u << 10;
  size_t unsent_high_watermark = 1u << 20;

  // For the client's preface and its first SETTINGS. 0: it may stay silent.
  std::chrono::milliseconds preface_timeout{10000};

  // A draining connection waits this long for the answer to its ping, which tells that the client
  // has seen the first GOAWAY; and then this long for the calls that run.
  std::chrono::milliseconds drain_ping_timeout{1000};
  std::chrono::milliseconds drain_timeout{30000};
  // When all is said a server lets its client close first, for so long.
  std::chrono::milliseconds linger_timeout{1000};

  // Per second, above which the peer gets GOAWAY(ENHANCE_YOUR_CALM); each kind counts alone. Pings
  // that follow an answer of ours are free: grpc-go measures its round trips with them. So are
  // window updates for what was sent.
  uint32_t max_pings_per_second = 100;
  uint32_t max_settings_per_second = 20;
  uint32_t max_resets_per_second = 400;
  // What brings nothing: PRIORITY, DATA without data, WINDOW_UPDATE beyond those, answers to pings,
  // GOAWAY.
  uint32_t max_idle_frames_per_second = 2000;
};

}  // namespace longshore::rpc
