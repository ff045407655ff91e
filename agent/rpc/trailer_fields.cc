#include "rpc/trailer_fields.h"

#include <algorithm>
#include <charconv>

#include "rpc/metadata_codec.h"

namespace longshore::rpc {
namespace {

constexpr size_t kFieldOverhead = 32;
// nghttp2 sends no larger block, whatever the peer takes.
constexpr size_t kMaxBlockBytes = 60u << 10;
constexpr size_t kMaxTextBytes = 16u << 10;

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

TrailerFields::TrailerFields(std::span<const Field> first, StatusCode code, std::string_view text,
                             const Metadata& metadata, size_t max_bytes)
    : room_(std::min(max_bytes, kMaxBlockBytes)) {
  fields_.reserve(first.size() + 2 + metadata.size());
  for (const Field& field : first) add(field.name, field.value, field.repeats);
  char* const end =
      std::to_chars(code_.data(), code_.data() + code_.size(), static_cast<int32_t>(code)).ptr;
  add("grpc-status", {code_.data(), static_cast<size_t>(end - code_.data())}, true);
  if (!text.empty()) {
    text_ = percent_encode(text);
    const size_t overhead = std::string_view("grpc-message").size() + kFieldOverhead;
    cut(text_, std::min(kMaxTextBytes, room_ > overhead ? room_ - overhead : 0));
    add("grpc-message", text_, false);
  }
  add_metadata(metadata);
}

void TrailerFields::add_metadata(const Metadata& metadata) {
  encoded_.reserve(metadata.size());  // the fields point into it
  for (const auto& [key, value] : metadata) {
    if (!is_sendable(key, value)) continue;
    std::string_view sent = value;
    if (is_binary_key(key)) sent = encoded_.emplace_back(base64_encode(value));
    if (key.size() + sent.size() + kFieldOverhead <= room_) add(key, sent, false);
  }
}

void TrailerFields::add(std::string_view name, std::string_view value, bool repeats) {
  const size_t bytes = name.size() + value.size() + kFieldOverhead;
  room_ -= std::min(room_, bytes);
  fields_.push_back({name, value, repeats});
}

}  // namespace longshore::rpc
