// Programs that prepare a disk for a case.
#pragma once

#include <catch2/catch.hpp>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "support/linux/command.h"

namespace longshore::volume {

inline void run(const std::vector<std::string>& arguments) {
  const auto end = support::run_command(arguments, {});
  REQUIRE(end);
  INFO(end->complaint);
  REQUIRE(end->exit_code == 0);
}

// Whether it is installed; says so if not, which counts as a skipped case.
inline bool there_is(const std::string& program) {
  if (std::filesystem::exists("/usr/sbin/" + program)) return true;
  std::printf("SKIPPED: there is no /usr/sbin/%s\n", program.c_str());
  return false;
}

}  // namespace longshore::volume
