#include "kube/base64.h"

#include <cstdint>

namespace longshore::kube {
namespace {

constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

std::optional<Secret> base64_decoded(std::string_view text) {
  Secret decoded;
  uint32_t bits = 0;
  size_t digits = 0;
  size_t padding = 0;
  for (const char c : text) {
    if (c == '\n' || c == '\r' || c == ' ' || c == '\t') continue;
    const size_t value = kDigits.find(c);
    const bool is_padding = c == '=';
    // What fills the last group stands at its end alone, and is one or two of four.
    if (padding > 0 ? !is_padding : value == kDigits.npos && !is_padding) return std::nullopt;
    padding += is_padding ? 1 : 0;
    bits = bits << 6 | (is_padding ? 0 : static_cast<uint32_t>(value));
    if (++digits % 4 != 0) continue;
    if (padding > 2) return std::nullopt;
    const char bytes[] = {static_cast<char>(bits >> 16), static_cast<char>(bits >> 8),
                          static_cast<char>(bits)};
    decoded.append({bytes, 3 - padding});
    bits = 0;
    if (padding > 0) padding = 3;  // nothing may follow
  }
  if (digits % 4 != 0) return std::nullopt;
  return decoded;
}

Secret base64_encoded(std::string_view bytes) {
  Secret encoded;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const std::string_view group = bytes.substr(i, 3);
    uint32_t bits = 0;
    for (size_t k = 0; k < 3; ++k) {
      bits = bits << 8 | (k < group.size() ? static_cast<unsigned char>(group[k]) : 0u);
    }
    char digits[] = {kDigits[bits >> 18], kDigits[bits >> 12 & 63], kDigits[bits >> 6 & 63],
                     kDigits[bits & 63]};
    for (size_t k = group.size() + 1; k < 4; ++k) digits[k] = '=';
    encoded.append({digits, 4});
  }
  return encoded;
}

}  // namespace longshore::kube
