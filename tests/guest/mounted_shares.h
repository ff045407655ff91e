// The shares that the guest has mounted, whoever did it.
#pragma once

#include <fstream>
#include <string>
#include <vector>

namespace longshore::test {

// Their lines of the kernel's list of mounts.
inline std::vector<std::string> mounted_shares() {
  std::ifstream table("/proc/self/mountinfo");
  std::vector<std::string> shares;
  for (std::string line; std::getline(table, line);) {
    if (line.find(" - cifs ") != std::string::npos) shares.push_back(line);
  }
  return shares;
}

}  // namespace longshore::test
