// Reads the header fields of a request into a CallHead and says what is wrong with them.
//
// HTTP/2's rules for requests are checked here and not by nghttp2, because it refuses an :authority
// that is no host name, and clients of named pipes send "\\.\pipe\name".
//
// Threads: one at a time. Owner: ServerCall.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "rpc/server.h"

namespace longshore::rpc {

// Why a request gets no handler.
struct Refusal {
  enum class Form : uint8_t {
    kReset,       // not a request at all: RST_STREAM
    kHttpStatus,  // not gRPC: an HTTP status alone
    kGrpcStatus,
  };
  Form form;
  int http_status;
  StatusCode code;
  std::string text;
};

class RequestHead {
 public:
  explicit RequestHead(size_t max_bytes) : max_bytes_(max_bytes) {}

  void add(std::string_view name, std::string_view value);

  // When all fields are there.
  std::optional<Refusal> verdict() const;

  const CallHead& call() const { return call_; }
  // The client sends gzip, or takes it.
  bool request_is_gzip() const { return encoding_ == Encoding::kGzip; }
  bool accepts_gzip() const { return accepts_gzip_; }

 private:
  enum class Encoding : uint8_t { kIdentity, kGzip, kOther };

  void add_pseudo(std::string_view name, std::string_view value);
  void add_protocol(std::string_view name, std::string_view value);

  size_t max_bytes_;
  size_t bytes_ = 0;
  CallHead call_;
  Encoding encoding_ = Encoding::kIdentity;
  unsigned pseudo_seen_ = 0;  // one bit each
  bool regular_seen_ = false;
  bool is_malformed_ = false;
  bool is_post_ = false;
  bool is_grpc_ = false;
  bool accepts_gzip_ = false;
  bool timeout_is_bad_ = false;
  std::string bad_key_;  // of metadata that is not base64
};

}  // namespace longshore::rpc
