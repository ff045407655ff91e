#include "rpc/response_fields.h"

#include <charconv>

#include "rpc/metadata_codec.h"

namespace longshore::rpc {
namespace {

int number_of(std::string_view text, int otherwise) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? number : otherwise;
}

StatusCode code_of_http(int status) {
  switch (status) {
    case 400:
      return StatusCode::kInternal;
    case 401:
      return StatusCode::kUnauthenticated;
    case 403:
      return StatusCode::kPermissionDenied;
    case 404:
      return StatusCode::kUnimplemented;
    case 429:
    case 502:
    case 503:
    case 504:
      return StatusCode::kUnavailable;
    default:
      return StatusCode::kUnknown;
  }
}

StatusCode code_of_reset(Http2Error error) {
  switch (error) {
    case Http2Error::kRefusedStream:
      return StatusCode::kUnavailable;
    case Http2Error::kCancel:
      return StatusCode::kCancelled;
    case Http2Error::kEnhanceYourCalm:
      return StatusCode::kResourceExhausted;
    case Http2Error::kInadequateSecurity:
      return StatusCode::kPermissionDenied;
    default:
      return StatusCode::kInternal;
  }
}

}  // namespace

void ResponseFields::add(std::string_view name, std::string_view value) {
  bytes_ += name.size() + value.size() + kFieldOverheadBytes;
  if (is_too_large()) return;
  if (name == ":status") {
    http_status_ = number_of(value, 0);
  } else if (name == "content-type") {
    is_grpc_ = is_grpc_content_type(value);
  } else if (name == "grpc-status") {
    grpc_status_ = number_of(value, -1);
  } else if (name == "grpc-message") {
    message_ = percent_decode(value);
  } else if (name == "grpc-encoding") {
    if (value != "identity") is_compressed_ = true;
  } else if (name[0] != ':' && (!name.starts_with("grpc-") || is_binary_key(name))) {
    // A value that is not base64 says nothing; the status matters more than to fail for it.
    append_received(metadata_, name, value);
  }
}

Outcome ResponseFields::http_outcome() const {
  Outcome outcome;
  outcome.code = code_of_http(http_status_);
  outcome.text = http_status_ == 200 ? "the server's answer is not gRPC"
                                     : "the server answered HTTP status " +
                                           std::to_string(http_status_) + " instead of gRPC";
  return outcome;
}

Outcome ResponseFields::grpc_outcome() const {
  Outcome outcome;
  if (!grpc_status_) {
    outcome.text = "the server ended the call without a status";
    return outcome;
  }
  const bool is_known = *grpc_status_ >= 0 && *grpc_status_ <= 16;
  outcome.code = is_known ? static_cast<StatusCode>(*grpc_status_) : StatusCode::kUnknown;
  outcome.text = message_;
  return outcome;
}

Outcome reset_outcome(Http2Error error) {
  Outcome outcome;
  outcome.code = code_of_reset(error);
  outcome.text =
      "the server reset the call with HTTP/2 error " + std::to_string(static_cast<uint32_t>(error));
  outcome.unseen = error == Http2Error::kRefusedStream;
  return outcome;
}

}  // namespace longshore::rpc
