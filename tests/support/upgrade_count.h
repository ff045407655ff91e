// How often a test of upgrades replaces a module by another file of it.
#pragma once

#include "tests/support/is_long.h"
#include "tests/support/is_thorough.h"

namespace longshore::test {

inline int upgrades() { return is_long() ? 1000 : is_thorough() ? 100 : 20; }

}  // namespace longshore::test
