// Conditions for threads other than the test's, which must not use its assertions.
#pragma once

#include <stdexcept>
#include <string>

namespace longshore::test {

// Throws std::runtime_error with `fault` unless it is so.
inline void require(bool is_so, const std::string& fault) {
  if (!is_so) throw std::runtime_error(fault);
}

}  // namespace longshore::test
