// One HTTP/2 session as bytes in and bytes out: what both roles have in common.
//
// Wraps nghttp2, so that nothing else in this folder knows it. Does no input or output.
//
//   bytes read ──► receive() ──► Http2Stream::on_... (one object a stream)
//   submit_...(), resume_body() ──► gather() ──► bytes to write
//
// Threads: one at a time, the connection's executor. Events may submit frames, but neither call
// receive() nor gather().
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "rpc/frame_rate_limiter.h"
#include "rpc/limits.h"
#include "rpc/send_queue.h"

struct nghttp2_session;

namespace longshore::rpc {

class SessionMemory;

// HTTP/2 error codes that this folder sends or tells apart.
enum class Http2Error : uint32_t {
  kNoError = 0,
  kProtocolError = 1,
  kRefusedStream = 7,
  kCancel = 8,
  kEnhanceYourCalm = 11,
  kInadequateSecurity = 12,
};

// What a ping of ours is for.
enum class Http2Ping : uint8_t {
  kDrain,  // whether the peer has seen that the connection is to end
  kProbe,  // whether the peer is alive
};

// What HTTP/2 counts for a header field beside its name and value.
inline constexpr size_t kFieldOverheadBytes = 32;

// A header field. Those that differ from call to call are kept out of the compression table.
struct Field {
  std::string_view name;
  std::string_view value;
  bool repeats = true;
};

// One stream. Owner: the connection. The session calls it; it calls the session to send.
class Http2Stream {
 public:
  virtual ~Http2Stream() = default;

  int32_t id() const { return id_; }
  void set_id(int32_t id) { id_ = id; }
  SendQueue& send_queue() { return send_queue_; }

  // A field of the head, or of the trailers when the head was whole before.
  virtual void on_field(std::string_view name, std::string_view value) = 0;
  // The block of fields is whole.
  virtual void on_fields_end() = 0;
  virtual void on_data(std::string_view bytes) = 0;
  // The peer sends no more.
  virtual void on_remote_end() = 0;
  // The last byte of the body is about to go. True when submit_trailers() was called.
  virtual bool on_body_sent() = 0;
  // So many bytes of the body have left the queue.
  virtual void on_body_progress(size_t bytes) = 0;
  // Gone on the wire; nothing follows. The session no longer knows the object.
  virtual void on_closed(Http2Error error) = 0;

 private:
  int32_t id_ = 0;
  SendQueue send_queue_;
};

// What concerns the connection as a whole.
class Http2Events {
 public:
  // Server: a stream begins. Null refuses it.
  virtual Http2Stream* open_stream(int32_t id) = 0;
  // The peer has said what it takes; its first frame.
  virtual void on_settings() {}
  virtual void on_ping_answered(Http2Ping ping) = 0;
  virtual void on_goaway(Http2Error error, std::string_view text) = 0;

 protected:
  ~Http2Events() = default;
};

class Http2Session {
 public:
  enum class Role { kServer, kClient };

  Http2Session(Role role, const Limits& limits, Http2Events& events);
  ~Http2Session();
  Http2Session(const Http2Session&) = delete;
  Http2Session& operator=(const Http2Session&) = delete;

  // False: the peer broke the protocol; `reason` says how. What is still to be sent (a GOAWAY) may
  // be gathered once more.
  bool receive(std::string_view bytes);
  const std::string& reason() const { return reason_; }
  // Frames and header fields that were received so far: what the peer makes us do.
  size_t work() const { return work_; }

  // Appends frames to `output` until it has `enough` bytes or nothing is left. False: out of order
  // inside, close the connection; `reason` may say how.
  bool gather(std::string& output, size_t enough);

  // Nothing more is expected from the peer and nothing is left to send.
  bool finished() const;
  // Frames that wait to be gathered.
  size_t queued_frames() const;

  // Queues the head of an answer, which also ends the stream when there is no body, or of a
  // request.
  void submit_response(Http2Stream& stream, std::span<const Field> fields, bool with_body);
  // False: no further stream is possible on this connection.
  bool submit_request(Http2Stream& stream, std::span<const Field> fields);
  // From Http2Stream::on_body_sent; ends the stream.
  void submit_trailers(Http2Stream& stream, std::span<const Field> fields);
  // The send queue, once found empty, has bytes or its end again.
  void resume_body(Http2Stream& stream);
  void submit_reset(Http2Stream& stream, Http2Error error);

  // Lets the peer send as much again.
  void consume_connection(size_t bytes);
  void consume_stream(Http2Stream& stream, size_t bytes);

  // How large a block of fields the peer takes.
  size_t peer_max_fields() const;

  // The two phases of GOAWAY: a notice and a ping, then the last stream that will be served.
  void submit_shutdown_notice();
  void submit_last_goaway();
  void submit_probe();
  // GOAWAY now; running streams end with the connection.
  void terminate(Http2Error error, std::string reason);

 private:
  struct Callbacks;

  void submit_settings(const Limits& limits);
  void ping_answered(const uint8_t* payload);
  void count_frame(uint8_t type, uint8_t flags, size_t length);
  void count_own_reset(uint32_t error);
  void count(FrameRateLimiter::Kind kind, std::string_view name);

  const Role role_;
  Http2Events& events_;
  FrameRateLimiter frame_rate_limiter_;
  const std::unique_ptr<SessionMemory> memory_;
  nghttp2_session* session_ = nullptr;
  Http2Stream* block_stream_ = nullptr;  // whose fields are being received
  std::string* output_ = nullptr;        // while gathering
  size_t work_ = 0;
  bool ping_follows_ = false;  // the next GOAWAY
  bool terminated_ = false;
  std::string reason_;
};

}  // namespace longshore::rpc
