// SHA-256, of module files and of the audit log's lines.
//
// Threads: any.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace longshore::observe {

// Lower-case hexadecimal; empty where the system fails to hash.
std::string sha256_of(std::span<const std::byte> bytes);

inline std::string sha256_of(std::string_view text) {
  return sha256_of(std::as_bytes(std::span(text.data(), text.size())));
}

}  // namespace longshore::observe
