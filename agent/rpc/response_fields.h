// Reads one block of header fields of an answer, head or trailers, and says what status they mean.
//
// Threads: one at a time. Owner: the client's call.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "rpc/client.h"
#include "rpc/http2_session.h"

namespace longshore::rpc {

class ResponseFields {
 public:
  explicit ResponseFields(size_t max_bytes) : max_bytes_(max_bytes) {}

  void add(std::string_view name, std::string_view value);

  bool is_too_large() const { return bytes_ > max_bytes_; }
  // 100 to 199: the real head follows.
  bool is_informational() const { return http_status_ >= 100 && http_status_ < 200; }
  // Status 200 and gRPC's content type.
  bool is_grpc() const { return http_status_ == 200 && is_grpc_; }
  bool has_status() const { return grpc_status_.has_value(); }
  // It says so itself: nothing here reads what follows.
  bool is_compressed() const { return is_compressed_; }

  // What gRPC's table says about an HTTP status that came without grpc-status.
  Outcome http_outcome() const;
  // By grpc-status and grpc-message.
  Outcome grpc_outcome() const;

  Metadata take_metadata() { return std::move(metadata_); }

 private:
  const size_t max_bytes_;
  size_t bytes_ = 0;
  int http_status_ = 0;
  bool is_grpc_ = false;
  bool is_compressed_ = false;
  std::optional<int> grpc_status_;
  std::string message_;
  Metadata metadata_;
};

// What a reset means to a gRPC client.
Outcome reset_outcome(Http2Error error);

}  // namespace longshore::rpc
