// Whether tests are to run for longer: tests/run_tests --long sets LONGSHORE_LONG.
#pragma once

#include <cstdlib>

namespace longshore::test {

inline bool is_long() { return std::getenv("LONGSHORE_LONG") != nullptr; }

}  // namespace longshore::test
