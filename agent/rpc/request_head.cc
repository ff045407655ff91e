#include "rpc/request_head.h"

#include <algorithm>
#include <array>

#include "rpc/http2_session.h"
#include "rpc/metadata_codec.h"

namespace longshore::rpc {
namespace {

constexpr std::array<std::string_view, 4> kPseudo = {":method", ":path", ":scheme", ":authority"};
// A connection does not keep the memory of its largest head.
constexpr size_t kKeptBytes = 1024;

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

// What a binary field takes besides its own bytes: it may hold many values, and each is kept with a
// name of its own.
size_t bytes_of_further_values(std::string_view name, std::string_view value) {
  if (!is_binary_key(name)) return 0;
  const auto further = static_cast<size_t>(std::count(value.begin(), value.end(), ','));
  return further * (name.size() + kFieldOverheadBytes);
}

bool has_capitals(std::string_view name) {
  return std::any_of(name.begin(), name.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
}

}  // namespace

void RequestHead::begin() {
  if (found_.bytes > kKeptBytes) {
    std::string().swap(call_.path);  // an assignment would keep the memory
    call_ = {};
  }
  call_.path.clear();
  call_.timeout.reset();
  call_.metadata.clear();
  found_ = {};
}

void RequestHead::add(std::string_view name, std::string_view value) {
  found_.bytes += name.size() + value.size() + kFieldOverheadBytes;
  if (found_.bytes > max_bytes_) return;
  if (name.empty() || has_control_bytes(value)) {
    found_.is_malformed = true;
    return;
  }
  if (name[0] == ':') return add_pseudo(name, value);
  found_.regular_seen = true;
  if (name == "content-type") {
    found_.is_grpc = is_grpc_content_type(value);
  } else if (name.starts_with("grpc-") && !is_binary_key(name)) {
    add_protocol(name, value);
  } else if (name == "te" || name == "user-agent" || name == "content-length" || name == "host") {
    return;  // nothing here depends on them
  } else if (is_sendable_key(name)) {
    found_.bytes += bytes_of_further_values(name, value);
    if (found_.bytes > max_bytes_) return;
    if (!append_received(call_.metadata, name, value)) found_.bad_key = name;
  } else if (has_capitals(name) || is_in(name, kForbidden)) {
    found_.is_malformed = true;
  }
}

void RequestHead::add_pseudo(std::string_view name, std::string_view value) {
  const auto found = std::find(kPseudo.begin(), kPseudo.end(), name);
  const unsigned bit = 1u << (found - kPseudo.begin());
  if (found == kPseudo.end() || (found_.pseudo_seen & bit) != 0 || found_.regular_seen)
    found_.is_malformed = true;
  found_.pseudo_seen |= bit;
  if (name == ":path") {
    call_.path = value;
  } else if (name == ":method") {
    found_.is_post = value == "POST";
  }
}

void RequestHead::add_protocol(std::string_view name, std::string_view value) {
  if (name == "grpc-timeout") {
    call_.timeout = parse_timeout(value);
    found_.timeout_is_bad = !call_.timeout;
  } else if (name == "grpc-encoding") {
    if (value != "identity") found_.is_compressed = true;
  }
}

std::optional<Refusal> RequestHead::verdict() const {
  using Form = Refusal::Form;
  if (found_.bytes > max_bytes_) {
    // Beyond the limit nothing was read, so the content type may be unknown.
    return Refusal{found_.is_grpc ? Form::kGrpcStatus : Form::kHttpStatus, 431,
                   StatusCode::kResourceExhausted,
                   "the request's metadata has " + std::to_string(found_.bytes) +
                       " bytes, the limit is " + std::to_string(max_bytes_)};
  }
  if (found_.is_malformed || (found_.pseudo_seen & kNeededPseudo) != kNeededPseudo ||
      call_.path.empty()) {
    return Refusal{Form::kReset, 200, StatusCode::kUnknown, {}};
  }
  if (!found_.is_post) return Refusal{Form::kHttpStatus, 405, StatusCode::kUnknown, {}};
  if (!found_.is_grpc) return Refusal{Form::kHttpStatus, 415, StatusCode::kUnknown, {}};
  const auto status = [](StatusCode code, std::string text) {
    return Refusal{Form::kGrpcStatus, 200, code, std::move(text)};
  };
  if (call_.path[0] != '/') return status(StatusCode::kUnimplemented, "malformed method name");
  if (found_.timeout_is_bad) return status(StatusCode::kInternal, "grpc-timeout is malformed");
  if (!found_.bad_key.empty()) {
    return status(StatusCode::kInternal, "the metadata \"" + found_.bad_key + "\" is not base64");
  }
  if (found_.is_compressed) {
    return status(StatusCode::kUnimplemented,
                  "the request's grpc-encoding is not supported, only identity is");
  }
  return std::nullopt;
}

}  // namespace longshore::rpc
