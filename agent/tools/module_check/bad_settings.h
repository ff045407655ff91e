// Settings that the agent, which checks them, never gives, and that a module should outlive.
//
// Plain values, one use each. Threads: any.
#pragma once

#include <string>
#include <vector>

#include "tools/module_check/random.h"
#include "tools/module_check/subject.h"

namespace longshore::module_check {

struct BadSettings {
  const char* what;
  std::string bytes;
  bool is_garbage;  // no message at all
};

// A module may start with them all the same, and then does what they say. So each begins with what
// the command line gives, which may be what keeps the module from harm, and leaves it as it is.
std::vector<BadSettings> bad_settings(const Subject& subject, Random& random);

}  // namespace longshore::module_check
