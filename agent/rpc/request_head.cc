#include "rpc/request_head.h"

#include "rpc/http2_session.h"
#include "rpc/metadata_codec.h"

namespace longshore::rpc {
namespace {

bool lists_gzip(std::string_view encodings) {
  while (!encodings.empty()) {
    const size_t comma = encodings.find(',');
    std::string_view name = encodings.substr(0, comma);
    while (name.starts_with(' ')) name.remove_prefix(1);
    while (name.ends_with(' ')) name.remove_suffix(1);
    if (name == "gzip") return true;
    if (comma == std::string_view::npos) break;
    encodings.remove_prefix(comma + 1);
  }
  return false;
}

}  // namespace

void RequestHead::add(std::string_view name, std::string_view value) {
  bytes_ += name.size() + value.size() + kFieldOverheadBytes;
  if (bytes_ > max_bytes_) return;
  if (name == ":path") {
    call_.path = value;
  } else if (name == ":method") {
    is_post_ = value == "POST";
  } else if (name == "content-type") {
    is_grpc_ = is_grpc_content_type(value);
  } else if (name.starts_with("grpc-") && !is_binary_key(name)) {
    add_own(name, value);
  } else if (name[0] != ':' && name != "te" && name != "user-agent" && name != "content-length") {
    if (!append_received(call_.metadata, name, value)) bad_key_ = name;
  }
}

void RequestHead::add_own(std::string_view name, std::string_view value) {
  if (name == "grpc-timeout") {
    call_.timeout = parse_timeout(value);
    timeout_is_bad_ = !call_.timeout;
  } else if (name == "grpc-encoding") {
    encoding_ = value == "identity" ? Encoding::kIdentity
                : value == "gzip"   ? Encoding::kGzip
                                    : Encoding::kOther;
  } else if (name == "grpc-accept-encoding") {
    accepts_gzip_ = lists_gzip(value);
  }
}

std::optional<Refusal> RequestHead::verdict() const {
  if (bytes_ > max_bytes_) {
    // Beyond the limit nothing was read, so the content type may be unknown.
    return Refusal{is_grpc_ ? 200 : 431, StatusCode::kResourceExhausted,
                   "the request's metadata has " + std::to_string(bytes_) +
                       " bytes, the limit is " + std::to_string(max_bytes_)};
  }
  if (!is_post_) return Refusal{405, StatusCode::kUnknown, {}};
  if (!is_grpc_) return Refusal{415, StatusCode::kUnknown, {}};
  if (timeout_is_bad_) return Refusal{200, StatusCode::kInternal, "grpc-timeout is malformed"};
  if (!bad_key_.empty()) {
    return Refusal{200, StatusCode::kInternal, "the metadata \"" + bad_key_ + "\" is not base64"};
  }
  if (encoding_ == Encoding::kOther) {
    return Refusal{200, StatusCode::kUnimplemented,
                   "the request's grpc-encoding is not supported, only identity and gzip are"};
  }
  return std::nullopt;
}

}  // namespace longshore::rpc
