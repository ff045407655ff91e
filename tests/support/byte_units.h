// Sizes of disks and files in tests.
#pragma once

#include <cstdint>

namespace longshore::test {

inline constexpr uint64_t kMebibyte = uint64_t{1} << 20;

}  // namespace longshore::test
