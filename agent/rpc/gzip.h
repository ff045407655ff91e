// gzip, the one compression that both ends of gRPC understand.
//
// Threads: plain functions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "longshore/result.hpp"

namespace longshore::rpc {

// Below this, a message is sent as it is: it would hardly get smaller.
inline constexpr size_t kMinCompressedBytes = 512;

// Empty when it does not get smaller, or when there is no memory for it.
std::string gzip_compress(std::string_view bytes);

// Inflates piece by piece and stops above `max_bytes`, so that a small message that claims to be
// gigabytes costs no more than that. RESOURCE_EXHAUSTED or INTERNAL.
Result<std::string> gzip_decompress(std::string_view bytes, size_t max_bytes);

}  // namespace longshore::rpc
