// Whether tests are to be as thorough as for a release: CTest sets LONGSHORE_THOROUGH where the
// build has the option, as in tests/run_tests --all.
#pragma once

#include <cstdlib>

namespace longshore::test {

inline bool is_thorough() { return std::getenv("LONGSHORE_THOROUGH") != nullptr; }

}  // namespace longshore::test
