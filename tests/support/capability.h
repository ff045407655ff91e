// What this process may do (capabilities(7)).
#pragma once

#include <linux/capability.h>

#include <cstdint>
#include <fstream>
#include <string>

namespace longshore::test {

// CAP_SYS_ADMIN, say.
inline bool has_capability(int capability) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    uint64_t capabilities = 0;
    if (word == "CapEff:" && status >> std::hex >> capabilities) {
      return (capabilities >> capability & 1) != 0;
    }
  }
  return false;
}

}  // namespace longshore::test
