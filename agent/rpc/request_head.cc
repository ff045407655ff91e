#include "rpc/request_head.h"

#include <algorithm>
#include <array>

#include "rpc/http2_session.h"
#include "rpc/metadata_codec.h"

namespace longshore::rpc {
namespace {

constexpr std::array<std::string_view, 4> kPseudo = {":method", ":path", ":scheme", ":authority"};
constexpr unsigned kNeededPseudo = 0b0111;  // all but the last

// What HTTP/2 forbids because it concerned one connection of HTTP/1.
constexpr std::array<std::string_view, 5> kForbidden = {
    "connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade"};

bool is_in(std::string_view name, const auto& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool has_control_bytes(std::string_view value) {
  return std::any_of(value.begin(), value.end(),
                     [](char c) { return c == '\0' || c == '\r' || c == '\n'; });
}

bool has_capitals(std::string_view name) {
  return std::any_of(name.begin(), name.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
}

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
  if (name.empty() || has_control_bytes(value)) {
    is_malformed_ = true;
    return;
  }
  if (name[0] == ':') return add_pseudo(name, value);
  regular_seen_ = true;
  if (name == "content-type") {
    is_grpc_ = is_grpc_content_type(value);
  } else if (name.starts_with("grpc-") && !is_binary_key(name)) {
    add_protocol(name, value);
  } else if (name == "te" || name == "user-agent" || name == "content-length" || name == "host") {
    return;  // nothing here depends on them
  } else if (is_sendable_key(name)) {
    if (!append_received(call_.metadata, name, value)) bad_key_ = name;
  } else if (has_capitals(name) || is_in(name, kForbidden)) {
    is_malformed_ = true;
  }
}

void RequestHead::add_pseudo(std::string_view name, std::string_view value) {
  const auto found = std::find(kPseudo.begin(), kPseudo.end(), name);
  const unsigned bit = 1u << (found - kPseudo.begin());
  if (found == kPseudo.end() || (pseudo_seen_ & bit) != 0 || regular_seen_) is_malformed_ = true;
  pseudo_seen_ |= bit;
  if (name == ":path") {
    call_.path = value;
  } else if (name == ":method") {
    is_post_ = value == "POST";
  }
}

void RequestHead::add_protocol(std::string_view name, std::string_view value) {
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
  using Form = Refusal::Form;
  if (bytes_ > max_bytes_) {
    // Beyond the limit nothing was read, so the content type may be unknown.
    return Refusal{is_grpc_ ? Form::kGrpcStatus : Form::kHttpStatus, 431,
                   StatusCode::kResourceExhausted,
                   "the request's metadata has " + std::to_string(bytes_) +
                       " bytes, the limit is " + std::to_string(max_bytes_)};
  }
  if (is_malformed_ || (pseudo_seen_ & kNeededPseudo) != kNeededPseudo || call_.path.empty()) {
    return Refusal{Form::kReset, 200, StatusCode::kUnknown, {}};
  }
  if (!is_post_) return Refusal{Form::kHttpStatus, 405, StatusCode::kUnknown, {}};
  if (!is_grpc_) return Refusal{Form::kHttpStatus, 415, StatusCode::kUnknown, {}};
  const auto status = [](StatusCode code, std::string text) {
    return Refusal{Form::kGrpcStatus, 200, code, std::move(text)};
  };
  if (timeout_is_bad_) return status(StatusCode::kInternal, "grpc-timeout is malformed");
  if (!bad_key_.empty()) {
    return status(StatusCode::kInternal, "the metadata \"" + bad_key_ + "\" is not base64");
  }
  if (encoding_ == Encoding::kOther) {
    return status(StatusCode::kUnimplemented,
                  "the request's grpc-encoding is not supported, only identity and gzip are");
  }
  return std::nullopt;
}

}  // namespace longshore::rpc
