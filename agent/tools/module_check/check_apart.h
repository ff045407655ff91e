// A test of a module in a process of its own.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tools/module_check/checks.h"

namespace longshore::module_check {

// As run_apart() does, in run_apart.h.
Report run_check_apart(const Check& check, const Subject& subject);

// The test that this process was started for, where it cannot be a copy of the one that wants it:
// it is this program with the same command line, behind words that say which test.
struct ApartTest {
  uint64_t seed = 0;
  std::function<int(const Subject&)> run;  // gives the exit code, if it returns
};

// Those words are taken off. Nothing: a user has started this process.
std::optional<ApartTest> take_apart_test(std::vector<std::string>& words);

}  // namespace longshore::module_check
