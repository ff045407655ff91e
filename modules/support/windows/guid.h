// A GUID as it lies in Windows' structures.
//
// Threads: a plain value.
#pragma once

#include <array>
#include <cstdint>

namespace longshore::support {

struct Guid {
  uint32_t data1;
  uint16_t data2;
  uint16_t data3;
  std::array<uint8_t, 8> data4;

  bool operator==(const Guid&) const = default;
};
static_assert(sizeof(Guid) == 16);

}  // namespace longshore::support
