#include "rpc/http2_session.h"

#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <array>
#include <limits>
#include <new>
#include <utility>
#include <vector>

#include "rpc/session_memory.h"

namespace longshore::rpc {
namespace {

// Most frames have fewer fields than this; more cost an allocation.
constexpr size_t kFieldsOnStack = 8;
// Twice what it takes to acknowledge a peer that may write but does not read for a while.
constexpr size_t kMaxQueuedAcknowledgements = 1000;
constexpr uint32_t kDefaultWindow = 65535;
// As short as fits into a string without any.
constexpr std::string_view kOutOfMemory = "out of memory";
constexpr std::string_view kDrainPing = "ls-drain";
constexpr std::string_view kProbePing = "ls-probe";

const uint8_t* octets(std::string_view text) {
  return reinterpret_cast<const uint8_t*>(text.data());
}

class FieldList {
 public:
  explicit FieldList(std::span<const Field> fields) : size_(fields.size()) {
    if (size_ > kFieldsOnStack) heap_.resize(size_);
    for (size_t i = 0; i < size_; ++i) data()[i] = make(fields[i]);
  }
  nghttp2_nv* data() { return heap_.empty() ? stack_.data() : heap_.data(); }
  size_t size() const { return size_; }

 private:
  static nghttp2_nv make(const Field& field) {
    // nghttp2 promises to leave the bytes alone.
    const auto bytes = [](std::string_view text) {
      return reinterpret_cast<uint8_t*>(const_cast<char*>(text.data()));
    };
    const auto flags =
        static_cast<uint8_t>(field.repeats ? NGHTTP2_NV_FLAG_NONE : NGHTTP2_NV_FLAG_NO_INDEX);
    return {bytes(field.name), bytes(field.value), field.name.size(), field.value.size(), flags};
  }

  size_t size_;
  std::array<nghttp2_nv, kFieldsOnStack> stack_;
  std::vector<nghttp2_nv> heap_;
};

std::string_view view(nghttp2_rcbuf* buffer) {
  const nghttp2_vec bytes = nghttp2_rcbuf_get_buf(buffer);
  return {reinterpret_cast<const char*>(bytes.base), bytes.len};
}

Http2Stream* stream_of(nghttp2_session* session, int32_t id) {
  return static_cast<Http2Stream*>(nghttp2_session_get_stream_user_data(session, id));
}

// Answers how much of the body goes into the next frame; `copy_body` then writes it.
ssize_t read_body(nghttp2_session*, int32_t, uint8_t*, size_t length, uint32_t* flags,
                  nghttp2_data_source* source, void*) {
  auto& stream = *static_cast<Http2Stream*>(source->ptr);
  SendQueue& queue = stream.send_queue();
  const size_t part = std::min(length, queue.size());
  if (part == 0 && !queue.ended()) return NGHTTP2_ERR_DEFERRED;
  *flags |= NGHTTP2_DATA_FLAG_NO_COPY;
  if (queue.ended() && part == queue.size()) {
    *flags |= NGHTTP2_DATA_FLAG_EOF;
    if (stream.on_body_sent()) *flags |= NGHTTP2_DATA_FLAG_NO_END_STREAM;
  }
  return static_cast<ssize_t>(part);
}

// nghttp2 is written in C: no exception may pass through it. It ends the connection instead.
template <auto kCallback>
struct Guarded;
template <typename Answer, typename... Args, Answer (*kCallback)(Args...)>
struct Guarded<kCallback> {
  static Answer call(Args... args) {
    try {
      return kCallback(args...);
    } catch (const std::exception&) {
      return NGHTTP2_ERR_CALLBACK_FAILURE;
    }
  }
};

nghttp2_data_provider body_of(Http2Stream& stream) {
  nghttp2_data_provider provider;
  provider.source.ptr = &stream;
  provider.read_callback = Guarded<read_body>::call;
  return provider;
}

}  // namespace

// nghttp2's callbacks, each handing on to the session or the stream it concerns.
struct Http2Session::Callbacks {
  static Http2Session& self(void* user) { return *static_cast<Http2Session*>(user); }

  static int begin_frame(nghttp2_session*, const nghttp2_frame_hd* head, void* user) {
    self(user).count_frame(head->type, head->flags, head->length);
    return 0;
  }

  static int begin_headers(nghttp2_session* session, const nghttp2_frame* frame, void* user) {
    Http2Session& me = self(user);
    const int32_t id = frame->hd.stream_id;
    me.block_stream_ = stream_of(session, id);
    if (me.block_stream_ != nullptr || frame->headers.cat != NGHTTP2_HCAT_REQUEST) return 0;
    me.block_stream_ = me.terminated_ ? nullptr : me.events_.open_stream(id);
    if (me.block_stream_ == nullptr) {
      nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, id, NGHTTP2_REFUSED_STREAM);
      return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    }
    me.block_stream_->set_id(id);
    nghttp2_session_set_stream_user_data(session, id, me.block_stream_);
    return 0;
  }

  static int header(nghttp2_session*, const nghttp2_frame*, nghttp2_rcbuf* name,
                    nghttp2_rcbuf* value, uint8_t, void* user) {
    ++self(user).work_;
    Http2Stream* stream = self(user).block_stream_;
    if (stream != nullptr) stream->on_field(view(name), view(value));
    return 0;
  }

  static int frame_received(nghttp2_session* session, const nghttp2_frame* frame, void* user) {
    Http2Session& me = self(user);
    if (me.terminated_) return 0;
    switch (frame->hd.type) {
      case NGHTTP2_HEADERS:
        if (me.block_stream_ != nullptr) me.block_stream_->on_fields_end();
        [[fallthrough]];
      case NGHTTP2_DATA:
        if ((frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0) {
          Http2Stream* stream = stream_of(session, frame->hd.stream_id);
          if (stream != nullptr) stream->on_remote_end();
        }
        break;
      case NGHTTP2_PING:
        if ((frame->hd.flags & NGHTTP2_FLAG_ACK) != 0) me.ping_answered(frame->ping.opaque_data);
        break;
      case NGHTTP2_SETTINGS:
        if ((frame->hd.flags & NGHTTP2_FLAG_ACK) == 0) me.events_.on_settings();
        break;
      case NGHTTP2_GOAWAY:
        me.events_.on_goaway(static_cast<Http2Error>(frame->goaway.error_code),
                             {reinterpret_cast<const char*>(frame->goaway.opaque_data),
                              frame->goaway.opaque_data_len});
        break;
      default:
        break;
    }
    return 0;
  }

  static int data(nghttp2_session* session, uint8_t, int32_t id, const uint8_t* bytes,
                  size_t length, void* user) {
    Http2Stream* stream = self(user).terminated_ ? nullptr : stream_of(session, id);
    if (stream == nullptr) {
      nghttp2_session_consume(session, id, length);
    } else {
      stream->on_data({reinterpret_cast<const char*>(bytes), length});
    }
    return 0;
  }

  static int copy_body(nghttp2_session*, nghttp2_frame*, const uint8_t* head, size_t length,
                       nghttp2_data_source* source, void* user) {
    auto& stream = *static_cast<Http2Stream*>(source->ptr);
    std::string& output = *self(user).output_;
    output.append(reinterpret_cast<const char*>(head), 9);
    stream.send_queue().take(length, output);
    stream.on_body_progress(length);
    return 0;
  }

  static int frame_sent(nghttp2_session* session, const nghttp2_frame* frame, void* user) {
    Http2Session& me = self(user);
    if (frame->hd.type == NGHTTP2_GOAWAY && std::exchange(me.ping_follows_, false)) {
      // Not before: who answers the ping must have seen the notice.
      return nghttp2_submit_ping(session, NGHTTP2_FLAG_NONE, octets(kDrainPing));
    }
    if (frame->hd.type == NGHTTP2_RST_STREAM) me.count_own_reset(frame->rst_stream.error_code);
    if (frame->hd.type != NGHTTP2_HEADERS && frame->hd.type != NGHTTP2_DATA) return 0;
    me.frame_rate_limiter_.answer_sent();
    const bool ends = (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
    if (me.role_ == Role::kServer && ends &&
        nghttp2_session_get_stream_remote_close(session, frame->hd.stream_id) == 0) {
      // The answer is complete although the request is not: the client may stop sending it.
      nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, frame->hd.stream_id, NGHTTP2_NO_ERROR);
    }
    return 0;
  }

  static int frame_not_sent(nghttp2_session* session, const nghttp2_frame* frame, int, void*) {
    // An answer that cannot be sent would leave the peer waiting for ever; a request that cannot be
    // sent is closed by nghttp2.
    if (frame->hd.type == NGHTTP2_HEADERS && frame->headers.cat != NGHTTP2_HCAT_REQUEST) {
      nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, frame->hd.stream_id,
                                NGHTTP2_INTERNAL_ERROR);
    }
    return 0;
  }

  static int stream_closed(nghttp2_session* session, int32_t id, uint32_t error, void* user) {
    Http2Stream* stream = stream_of(session, id);
    if (stream == nullptr) return 0;
    if (self(user).block_stream_ == stream) self(user).block_stream_ = nullptr;
    stream->on_closed(static_cast<Http2Error>(error));
    return 0;
  }

  static int protocol_error(nghttp2_session*, int, const char* text, size_t length, void* user) {
    Http2Session& me = self(user);
    if (!me.terminated_) me.reason_.assign(text, length);
    return 0;
  }

  static nghttp2_session_callbacks* make() {
    nghttp2_session_callbacks* callbacks = nullptr;
    if (nghttp2_session_callbacks_new(&callbacks) != 0) throw std::bad_alloc();
    nghttp2_session_callbacks_set_on_begin_frame_callback(callbacks, Guarded<begin_frame>::call);
    nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks,
                                                            Guarded<begin_headers>::call);
    nghttp2_session_callbacks_set_on_header_callback2(callbacks, Guarded<header>::call);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, Guarded<frame_received>::call);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, Guarded<data>::call);
    nghttp2_session_callbacks_set_send_data_callback(callbacks, Guarded<copy_body>::call);
    nghttp2_session_callbacks_set_on_frame_send_callback(callbacks, Guarded<frame_sent>::call);
    nghttp2_session_callbacks_set_on_frame_not_send_callback(callbacks,
                                                             Guarded<frame_not_sent>::call);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, Guarded<stream_closed>::call);
    nghttp2_session_callbacks_set_error_callback2(callbacks, Guarded<protocol_error>::call);
    return callbacks;
  }
};

Http2Session::Http2Session(Role role, const Limits& limits, Http2Events& events)
    : role_(role),
      events_(events),
      frame_rate_limiter_(limits),
      memory_(std::make_unique<SessionMemory>()) {
  nghttp2_option* options = nullptr;
  if (nghttp2_option_new(&options) != 0) throw std::bad_alloc();
  nghttp2_option_set_no_auto_window_update(options, 1);
  nghttp2_option_set_no_closed_streams(options, 1);
  nghttp2_option_set_no_http_messaging(options, role == Role::kServer ? 1 : 0);  // see RequestHead
  // gRPC's own libraries send such values.
  nghttp2_option_set_no_rfc9113_leading_and_trailing_ws_validation(options, 1);
  nghttp2_option_set_max_outbound_ack(options, kMaxQueuedAcknowledgements);
#ifdef LONGSHORE_NGHTTP2_HAS_RESET_LIMIT
  // The flood guard counts resets, and says ENHANCE_YOUR_CALM where nghttp2 would not.
  nghttp2_option_set_stream_reset_rate_limit(options, std::numeric_limits<int32_t>::max(),
                                             std::numeric_limits<int32_t>::max());
#endif
  nghttp2_session_callbacks* callbacks = Callbacks::make();
  nghttp2_mem memory = memory_->functions();
  const int failed =
      role == Role::kServer
          ? nghttp2_session_server_new3(&session_, callbacks, this, options, &memory)
          : nghttp2_session_client_new3(&session_, callbacks, this, options, &memory);
  nghttp2_session_callbacks_del(callbacks);
  nghttp2_option_del(options);
  if (failed != 0) throw std::bad_alloc();
  submit_settings(limits);
}

Http2Session::~Http2Session() {
  if (!memory_->has_failed()) nghttp2_session_del(session_);
}

void Http2Session::submit_settings(const Limits& limits) {
  std::vector<nghttp2_settings_entry> entries = {
      {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, limits.stream_window_bytes},
      {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, static_cast<uint32_t>(limits.max_header_bytes)}};
  if (role_ == Role::kServer) {
    entries.push_back({NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, limits.max_concurrent_streams});
    entries.push_back({NGHTTP2_SETTINGS_NO_RFC7540_PRIORITIES, 1});
  } else {
    entries.push_back({NGHTTP2_SETTINGS_ENABLE_PUSH, 0});
  }
  nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, entries.data(), entries.size());
  if (limits.connection_window_bytes > kDefaultWindow) {
    nghttp2_session_set_local_window_size(session_, NGHTTP2_FLAG_NONE, 0,
                                          static_cast<int32_t>(limits.connection_window_bytes));
  }
}

void Http2Session::count_frame(uint8_t type, uint8_t flags, size_t length) {
  using Kind = FrameRateLimiter::Kind;
  ++work_;
  const bool is_answer = (flags & NGHTTP2_FLAG_ACK) != 0;  // of PING and SETTINGS
  switch (type) {
    case NGHTTP2_HEADERS:
    case NGHTTP2_CONTINUATION:
      return;
    case NGHTTP2_DATA:
      if (length > 0 || (flags & NGHTTP2_FLAG_END_STREAM) != 0) return;
      return count(Kind::kIdleFrame, "empty");
    case NGHTTP2_WINDOW_UPDATE:
      return count(Kind::kWindowUpdate, "WINDOW_UPDATE");
    case NGHTTP2_PING:
      return count(is_answer ? Kind::kIdleFrame : Kind::kPing, "PING");
    case NGHTTP2_SETTINGS:
      return count(is_answer ? Kind::kIdleFrame : Kind::kSettings, "SETTINGS");
    case NGHTTP2_RST_STREAM:
      return count(Kind::kReset, "RST_STREAM");
    default:
      return count(Kind::kIdleFrame, "empty");
  }
}

// A client that makes the server reset its streams, by breaking the protocol in each, gets rid of
// them as cheaply as one that resets them itself.
void Http2Session::count_own_reset(uint32_t error) {
  if (role_ == Role::kServer && error != NGHTTP2_NO_ERROR) {
    count(FrameRateLimiter::Kind::kReset, "broken");
  }
}

void Http2Session::count(FrameRateLimiter::Kind kind, std::string_view name) {
  if (terminated_ || frame_rate_limiter_.take_free(kind)) return;
  if (frame_rate_limiter_.allow(kind, FrameRateLimiter::Clock::now())) return;
  terminate(Http2Error::kEnhanceYourCalm,
            "the peer floods the connection with " + std::string(name) + " frames");
}

bool Http2Session::receive(std::string_view bytes) {
  const ssize_t taken = nghttp2_session_mem_recv(
      session_, reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  if (taken >= 0 && !memory_->has_failed()) return !terminated_;
  if (taken >= 0 || taken == NGHTTP2_ERR_CALLBACK_FAILURE || taken == NGHTTP2_ERR_NOMEM) {
    reason_ = kOutOfMemory;
  } else if (taken == NGHTTP2_ERR_FLOODED) {
    terminate(Http2Error::kEnhanceYourCalm, "the peer does not read its acknowledgements");
  } else {
    terminate(Http2Error::kProtocolError, std::string("the peer does not speak HTTP/2: ") +
                                              nghttp2_strerror(static_cast<int>(taken)));
  }
  return false;
}

bool Http2Session::gather(std::string& output, size_t enough) {
  output_ = &output;
  bool ok = true;
  while (output.size() < enough && !memory_->has_failed()) {
    const uint8_t* bytes = nullptr;
    const ssize_t length = nghttp2_session_mem_send(session_, &bytes);
    if (length <= 0) {
      ok = length == 0;
      break;
    }
    output.append(reinterpret_cast<const char*>(bytes), static_cast<size_t>(length));
  }
  output_ = nullptr;
  // Whoever waits for a frame that could not be queued would wait for ever.
  if (memory_->has_failed()) reason_ = kOutOfMemory;
  return ok && !memory_->has_failed();
}

bool Http2Session::finished() const {
  return nghttp2_session_want_read(session_) == 0 && nghttp2_session_want_write(session_) == 0;
}

size_t Http2Session::queued_frames() const {
  return nghttp2_session_get_outbound_queue_size(session_);
}

void Http2Session::submit_response(Http2Stream& stream, std::span<const Field> fields,
                                   bool with_body) {
  FieldList list(fields);
  const nghttp2_data_provider body = body_of(stream);
  nghttp2_submit_response(session_, stream.id(), list.data(), list.size(),
                          with_body ? &body : nullptr);
}

bool Http2Session::submit_request(Http2Stream& stream, std::span<const Field> fields) {
  FieldList list(fields);
  const nghttp2_data_provider body = body_of(stream);
  const int32_t id =
      nghttp2_submit_request(session_, nullptr, list.data(), list.size(), &body, &stream);
  if (id < 0) return false;
  stream.set_id(id);
  return true;
}

void Http2Session::submit_trailers(Http2Stream& stream, std::span<const Field> fields) {
  FieldList list(fields);
  nghttp2_submit_trailer(session_, stream.id(), list.data(), list.size());
}

void Http2Session::resume_body(Http2Stream& stream) {
  nghttp2_session_resume_data(session_, stream.id());
}

void Http2Session::submit_reset(Http2Stream& stream, Http2Error error) {
  nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, stream.id(), static_cast<uint32_t>(error));
}

void Http2Session::consume_connection(size_t bytes) {
  if (memory_->has_failed()) return;  // it is to end
  nghttp2_session_consume_connection(session_, bytes);
}

void Http2Session::consume_stream(Http2Stream& stream, size_t bytes) {
  if (memory_->has_failed()) return;
  nghttp2_session_consume_stream(session_, stream.id(), bytes);
}

size_t Http2Session::peer_max_fields() const {
  return nghttp2_session_get_remote_settings(session_, NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE);
}

void Http2Session::submit_shutdown_notice() {
  nghttp2_submit_shutdown_notice(session_);
  ping_follows_ = true;
}

void Http2Session::submit_probe() {
  nghttp2_submit_ping(session_, NGHTTP2_FLAG_NONE, octets(kProbePing));
}

void Http2Session::ping_answered(const uint8_t* payload) {
  const std::string_view text(reinterpret_cast<const char*>(payload), kDrainPing.size());
  if (text == kDrainPing) events_.on_ping_answered(Http2Ping::kDrain);
  if (text == kProbePing) events_.on_ping_answered(Http2Ping::kProbe);
}

void Http2Session::submit_last_goaway() {
  nghttp2_submit_goaway(session_, NGHTTP2_FLAG_NONE,
                        nghttp2_session_get_last_proc_stream_id(session_), NGHTTP2_NO_ERROR,
                        nullptr, 0);
}

void Http2Session::terminate(Http2Error error, std::string reason) {
  if (terminated_) return;
  terminated_ = true;
  reason_ = std::move(reason);
  nghttp2_session_terminate_session(session_, static_cast<uint32_t>(error));
}

}  // namespace longshore::rpc
