// The least that v1.Filesystem/PathExists costs over HTTP/2: nghttp2 on Asio, one thread, lstat or
// what Windows has in its place.
//
// No permissions, no deadlines, no metrics, no limits, no other method: what the agent's processor
// time is compared with. Not a server for anything else.
//
//   limit_server SOCKET|PIPE
#include <nghttp2/nghttp2.h>

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/write.hpp>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "tests/bench/limit/limit_stream.h"

namespace longshore::bench {
namespace {

namespace asio = boost::asio;

constexpr size_t kPrefixBytes = 5;  // of a gRPC message: compressed or not, and its length

nghttp2_nv field(std::string_view name, std::string_view value) {
  const auto bytes = [](std::string_view text) {
    return reinterpret_cast<uint8_t*>(const_cast<char*>(text.data()));  // nghttp2 only reads it
  };
  return {bytes(name), bytes(value), name.size(), value.size(),
          NGHTTP2_NV_FLAG_NO_COPY_NAME | NGHTTP2_NV_FLAG_NO_COPY_VALUE};
}

struct Call {
  std::string request;
  std::string response;
};

// Whether the path in a PathExistsRequest (field 1, shorter than 128 bytes) is there.
bool path_exists(std::string_view request) {
  if (request.size() < kPrefixBytes + 2) return false;
  return has_path(std::string(request.substr(kPrefixBytes + 2)));
}

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  explicit Connection(LimitStream stream) : stream_(std::move(stream)) {
    nghttp2_session_callbacks* callbacks = nullptr;
    nghttp2_session_callbacks_new(&callbacks);
    nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, begin_headers);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, data);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, frame_received);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, stream_closed);
    // Without it, all streams that ever were are kept: 30 MB after 200,000 calls.
    nghttp2_option* options = nullptr;
    nghttp2_option_new(&options);
    nghttp2_option_set_no_closed_streams(options, 1);
    nghttp2_session_server_new2(&session_, callbacks, this, options);
    nghttp2_option_del(options);
    nghttp2_session_callbacks_del(callbacks);
    nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, nullptr, 0);
  }
  ~Connection() { nghttp2_session_del(session_); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void read() {
    stream_.async_read_some(asio::buffer(input_),
                            [self = shared_from_this()](const auto& error, size_t bytes) {
                              if (!error) self->act_on(bytes);
                            });
  }

 private:
  void act_on(size_t bytes) {
    if (nghttp2_session_mem_recv(session_, input_.data(), bytes) < 0) return;
    const uint8_t* part = nullptr;
    for (ssize_t size; (size = nghttp2_session_mem_send(session_, &part)) > 0;) {
      output_.append(reinterpret_cast<const char*>(part), static_cast<size_t>(size));
    }
    boost::system::error_code error;
    asio::write(stream_, asio::buffer(output_), error);
    output_.clear();
    if (!error) read();
  }

  static int begin_headers(nghttp2_session* session, const nghttp2_frame* frame, void*) {
    nghttp2_session_set_stream_user_data(session, frame->hd.stream_id, new Call);
    return 0;
  }

  static Call* call_of(nghttp2_session* session, int32_t id) {
    return static_cast<Call*>(nghttp2_session_get_stream_user_data(session, id));
  }

  static int data(nghttp2_session* session, uint8_t, int32_t id, const uint8_t* bytes,
                  size_t length, void*) {
    Call* call = call_of(session, id);
    if (call) call->request.append(reinterpret_cast<const char*>(bytes), length);
    return 0;
  }

  static int frame_received(nghttp2_session* session, const nghttp2_frame* frame, void*) {
    const bool ends = (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
    const bool of_stream = frame->hd.type == NGHTTP2_DATA || frame->hd.type == NGHTTP2_HEADERS;
    Call* call = ends && of_stream ? call_of(session, frame->hd.stream_id) : nullptr;
    if (!call) return 0;
    call->response = path_exists(call->request) ? std::string("\0\0\0\0\2\x08\1", 7)
                                                : std::string("\0\0\0\0\0", 5);
    const std::array fields = {field(":status", "200"), field("content-type", "application/grpc")};
    nghttp2_data_provider body;
    body.source.ptr = call;
    body.read_callback = read_body;
    return nghttp2_submit_response(session, frame->hd.stream_id, fields.data(), fields.size(),
                                   &body);
  }

  static ssize_t read_body(nghttp2_session* session, int32_t id, uint8_t* buffer, size_t length,
                           uint32_t* flags, nghttp2_data_source* source, void*) {
    const Call& call = *static_cast<Call*>(source->ptr);
    if (call.response.size() > length) return NGHTTP2_ERR_CALLBACK_FAILURE;
    std::memcpy(buffer, call.response.data(), call.response.size());
    *flags |= NGHTTP2_DATA_FLAG_EOF | NGHTTP2_DATA_FLAG_NO_END_STREAM;
    const nghttp2_nv status = field("grpc-status", "0");
    nghttp2_submit_trailer(session, id, &status, 1);
    return static_cast<ssize_t>(call.response.size());
  }

  static int stream_closed(nghttp2_session* session, int32_t id, uint32_t, void*) {
    delete call_of(session, id);
    return 0;
  }

  LimitStream stream_;
  nghttp2_session* session_ = nullptr;
  std::array<uint8_t, 16384> input_;
  std::string output_;
};

}  // namespace
}  // namespace longshore::bench

int main(int count, char** arguments) {
  if (count != 2) {
    std::fputs("limit_server SOCKET|PIPE\n", stderr);
    return 2;
  }
  boost::asio::io_context io(1);
  longshore::bench::listen_at(io, arguments[1], [](longshore::bench::LimitStream stream) {
    std::make_shared<longshore::bench::Connection>(std::move(stream))->read();
  });
  io.run();
}
