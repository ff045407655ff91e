#include <nettle/sha2.h>

#include <cstdint>

#include "observe/sha256.h"
#include "text/hexadecimal.h"

namespace longshore::observe {

std::string sha256_of(std::span<const std::byte> bytes) {
  sha256_ctx context;
  sha256_init(&context);
  sha256_update(&context, bytes.size(), reinterpret_cast<const uint8_t*>(bytes.data()));
  uint8_t digest[SHA256_DIGEST_SIZE];
  sha256_digest(&context, sizeof(digest), digest);
  return text::hexadecimal(std::as_bytes(std::span(digest)));
}

}  // namespace longshore::observe
