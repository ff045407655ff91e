#include "rpc/field_block.h"

#include <algorithm>
#include <array>

#include "rpc/metadata_codec.h"

namespace longshore::rpc {
namespace {

// nghttp2 sends no larger block, whatever the peer takes.
constexpr size_t kMaxBlockBytes = 60u << 10;
constexpr size_t kUsualFields = 8;

constexpr std::array<std::string_view, 17> kCodes = {
    "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15", "16"};

size_t size_of(std::string_view name, std::string_view value) {
  return name.size() + value.size() + kFieldOverheadBytes;
}

// HTTP/2 allows no space at the ends of a value, and gRPC allows to leave it out.
std::string trimmed(std::string_view value) {
  while (value.starts_with(' ')) value.remove_prefix(1);
  while (value.ends_with(' ')) value.remove_suffix(1);
  return std::string(value);
}

// Cuts between two characters of the percent-encoding.
void cut(std::string& text, size_t length) {
  if (text.size() <= length) return;
  for (size_t back = 1; back <= 2 && back <= length; ++back) {
    if (text[length - back] == '%') {
      length -= back;
      break;
    }
  }
  text.resize(length);
}

}  // namespace

FieldBlock::FieldBlock(size_t peer_max_bytes)
    : max_bytes_(std::min(peer_max_bytes, kMaxBlockBytes)) {
  fields_.reserve(kUsualFields);
}

void FieldBlock::add(const Field& field) {
  bytes_ += size_of(field.name, field.value);
  fields_.push_back(field);
}

void FieldBlock::add_own(std::string_view name, std::string value) {
  add({name, own_.emplace_front(std::move(value)), false});
}

void FieldBlock::add_status(StatusCode code, std::string_view text) {
  const auto number = static_cast<size_t>(code);
  if (number < kCodes.size()) {
    add({"grpc-status", kCodes[number]});
  } else {
    add_own("grpc-status", std::to_string(static_cast<int32_t>(code)));
  }
  if (text.empty()) return;
  // What is cut off is not encoded either: a client may have chosen a text of megabytes.
  std::string encoded = percent_encode(text.substr(0, kMaxTextBytes));
  const size_t frame = size_of("grpc-message", {});
  cut(encoded, std::min(kMaxTextBytes, room() > frame ? room() - frame : 0));
  add_own("grpc-message", std::move(encoded));
}

bool FieldBlock::add_metadata(const Metadata& metadata) {
  bool all_fit = true;
  for (const auto& [key, value] : metadata) {
    if (!is_sendable(key, value)) continue;
    std::string sent = is_binary_key(key) ? base64_encode(value) : trimmed(value);
    if (size_of(key, sent) > room()) {
      all_fit = false;
    } else {
      add_own(key, std::move(sent));
    }
  }
  return all_fit;
}

}  // namespace longshore::rpc
