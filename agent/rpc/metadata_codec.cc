#include "rpc/metadata_codec.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

namespace longshore::rpc {
namespace {

constexpr std::string_view kHexDigits = "0123456789ABCDEF";
constexpr std::string_view kBase64Digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

constexpr uint8_t kNoDigit = 255;

constexpr std::array<uint8_t, 256> make_base64_values() {
  std::array<uint8_t, 256> values{};
  for (auto& value : values) value = kNoDigit;
  for (size_t i = 0; i < kBase64Digits.size(); ++i) {
    values[static_cast<unsigned char>(kBase64Digits[i])] = static_cast<uint8_t>(i);
  }
  return values;
}
constexpr std::array<uint8_t, 256> kBase64Values = make_base64_values();

bool is_printable(char c) { return c >= 0x20 && c <= 0x7e; }

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

struct TimeUnit {
  char name;
  int64_t nanoseconds;
};
constexpr std::array<TimeUnit, 6> kTimeUnits = {{{'n', 1},
                                                 {'u', 1'000},
                                                 {'m', 1'000'000},
                                                 {'S', 1'000'000'000},
                                                 {'M', 60'000'000'000},
                                                 {'H', 3'600'000'000'000}}};
constexpr size_t kMaxTimeoutDigits = 8;
constexpr int64_t kMaxTimeoutValue = 99'999'999;

}  // namespace

std::string percent_encode(std::string_view text) {
  std::string encoded;
  encoded.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    // HTTP/2 allows no space at the ends of a value.
    const bool at_an_end = i == 0 || i + 1 == text.size();
    if (is_printable(text[i]) && text[i] != '%' && !(text[i] == ' ' && at_an_end)) {
      encoded += text[i];
      continue;
    }
    const auto byte = static_cast<unsigned char>(text[i]);
    encoded += '%';
    encoded += kHexDigits[byte >> 4];
    encoded += kHexDigits[byte & 15];
  }
  return encoded;
}

std::string percent_decode(std::string_view text) {
  std::string decoded;
  decoded.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    const int high = text[i] == '%' && i + 2 < text.size() ? hex_value(text[i + 1]) : -1;
    const int low = high >= 0 ? hex_value(text[i + 2]) : -1;
    if (low < 0) {
      decoded += text[i];
      continue;
    }
    decoded += static_cast<char>(high << 4 | low);
    i += 2;
  }
  return decoded;
}

std::string base64_encode(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() * 4 + 2) / 3);
  uint32_t bits = 0;
  int count = 0;
  for (const char c : bytes) {
    bits = bits << 8 | static_cast<unsigned char>(c);
    for (count += 8; count >= 6; count -= 6) text += kBase64Digits[bits >> (count - 6) & 63];
  }
  if (count > 0) text += kBase64Digits[bits << (6 - count) & 63];
  return text;
}

std::optional<std::string> base64_decode(std::string_view text) {
  if (text.size() % 4 == 0 && text.ends_with('=')) {
    text.remove_suffix(text.ends_with("==") ? 2 : 1);
  }
  if (text.size() % 4 == 1) return std::nullopt;
  std::string bytes;
  bytes.reserve(text.size() * 3 / 4);
  uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    const uint8_t value = kBase64Values[static_cast<unsigned char>(c)];
    if (value == kNoDigit) return std::nullopt;
    bits = bits << 6 | value;
    count += 6;
    if (count >= 8) {
      count -= 8;
      bytes += static_cast<char>(bits >> count & 255);
    }
  }
  return bytes;
}

std::optional<std::chrono::nanoseconds> parse_timeout(std::string_view text) {
  if (text.size() < 2 || text.size() > kMaxTimeoutDigits + 1) return std::nullopt;
  int64_t value = 0;
  for (const char c : text.substr(0, text.size() - 1)) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + (c - '0');
  }
  const auto unit = std::find_if(kTimeUnits.begin(), kTimeUnits.end(),
                                 [&](const TimeUnit& each) { return each.name == text.back(); });
  if (unit == kTimeUnits.end()) return std::nullopt;
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  if (value > kMax / unit->nanoseconds) return std::chrono::nanoseconds(kMax);
  return std::chrono::nanoseconds(value * unit->nanoseconds);
}

std::string format_timeout(std::chrono::nanoseconds timeout) {
  const int64_t count = std::max<int64_t>(timeout.count(), 0);
  for (const TimeUnit& unit : kTimeUnits) {
    const int64_t value = count / unit.nanoseconds + (count % unit.nanoseconds != 0 ? 1 : 0);
    if (value <= kMaxTimeoutValue) return std::to_string(value) + unit.name;
  }
  return std::to_string(kMaxTimeoutValue) + 'H';
}

bool is_grpc_content_type(std::string_view type) {
  constexpr std::string_view kType = "application/grpc";
  if (!type.starts_with(kType)) return false;
  type.remove_prefix(kType.size());
  return type.empty() || type[0] == '+' || type[0] == ';';
}

bool is_binary_key(std::string_view key) { return key.ends_with("-bin"); }

bool append_received(Metadata& metadata, std::string_view key, std::string_view value) {
  if (!is_binary_key(key)) {
    metadata.emplace_back(key, value);
    return true;
  }
  for (;;) {
    const size_t comma = value.find(',');
    std::string_view part = value.substr(0, comma);
    while (part.starts_with(' ')) part.remove_prefix(1);
    while (part.ends_with(' ')) part.remove_suffix(1);
    auto bytes = base64_decode(part);
    if (!bytes) return false;
    metadata.emplace_back(key, std::move(*bytes));
    if (comma == std::string_view::npos) return true;
    value.remove_prefix(comma + 1);
  }
}

bool is_sendable_key(std::string_view key) {
  constexpr std::array<std::string_view, 10> kProtocols = {
      "content-type", "te",      "user-agent", "content-length",   "connection",
      "keep-alive",   "upgrade", "host",       "proxy-connection", "transfer-encoding"};
  const auto is_key_character = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
  };
  if (key.empty() || !std::all_of(key.begin(), key.end(), is_key_character)) return false;
  if (is_binary_key(key)) return true;
  return !key.starts_with("grpc-") &&
         std::find(kProtocols.begin(), kProtocols.end(), key) == kProtocols.end();
}

bool is_sendable(std::string_view key, std::string_view value) {
  return is_sendable_key(key) &&
         (is_binary_key(key) || std::all_of(value.begin(), value.end(), is_printable));
}

}  // namespace longshore::rpc
