// Reads the header fields of a request into a CallHead and says what is wrong with them.
//
// HTTP/2's rules for requests are checked here and not by nghttp2, because it refuses an :authority
// that is no host name, and clients of named pipes send "\\.\pipe\name".
//
// Threads: one at a time. Owner: the connection, for all its calls: their heads arrive one after
// the other, and what one has allocated serves the next.
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

  // Forgets the call before, and its memory if that was much.
  void begin();

  void add(std::string_view name, std::string_view value);

  // When all fields are there.
  std::optional<Refusal> verdict() const;

  const CallHead& call() const { return call_; }

 private:
  void add_pseudo(std::string_view name, std::string_view value);
  void add_protocol(std::string_view name, std::string_view value);

  struct Findings {
    size_t bytes = 0;
    unsigned pseudo_seen = 0;  // one bit each
    bool regular_seen = false;
    bool is_malformed = false;
    bool is_post = false;
    bool is_grpc = false;
    bool is_compressed = false;  // as it says itself
    bool timeout_is_bad = false;
    std::string bad_key;  // of metadata that is not base64
  };

  const size_t max_bytes_;
  CallHead call_;
  Findings found_;
};

}  // namespace longshore::rpc
