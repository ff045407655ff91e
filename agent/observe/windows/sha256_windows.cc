#include <windows.h>
// bcrypt.h needs windows.h before it.
#include <bcrypt.h>

#include <cstdint>

#include "observe/sha256.h"
#include "text/hexadecimal.h"

namespace longshore::observe {

std::string sha256_of(std::span<const std::byte> bytes) {
  uint8_t digest[32] = {};
  BCRYPT_ALG_HANDLE algorithm = nullptr;
  if (BCryptOpenAlgorithmProvider(&algorithm, BCRYPT_SHA256_ALGORITHM, nullptr, 0) != 0) return {};
  const NTSTATUS status = BCryptHash(algorithm, nullptr, 0,
                                     reinterpret_cast<PUCHAR>(const_cast<std::byte*>(bytes.data())),
                                     static_cast<ULONG>(bytes.size()), digest, sizeof(digest));
  BCryptCloseAlgorithmProvider(algorithm, 0);
  // An empty hash equals no pin and no other hash, so a failure refuses.
  if (status != 0) return {};
  return text::hexadecimal(std::as_bytes(std::span(digest)));
}

}  // namespace longshore::observe
