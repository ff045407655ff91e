// How often the tests of kills kill, all together: 60 times, in tests/run_tests --all 300, with
// LONGSHORE_LONG=1 10,000 times.
// Each tells how many of these it did.
#pragma once

#include <cstdio>

#include "tests/support/is_long.h"
#include "tests/support/is_thorough.h"

namespace longshore::test {

struct KillCounts {
  int of_agent_at_directories;
  int of_agent_at_disks;
  int of_modules_at_disks;  // of their processes

  int at_disks() const { return of_agent_at_disks + of_modules_at_disks; }
  int all() const { return of_agent_at_directories + at_disks(); }
};

inline KillCounts kill_counts() {
  if (is_long()) return {9'000, 500, 500};
  if (is_thorough()) return {240, 30, 30};
  return {40, 10, 10};
}

// `what`: "fs" or "disks". tests/run_tests adds up what is said here.
inline void tell_kills(const char* what, int done) {
  const KillCounts counts = kill_counts();
  std::printf("kill -9, %s: %d (in all %d: fs %d, disks %d)\n", what, done, counts.all(),
              counts.of_agent_at_directories, counts.at_disks());
  std::fflush(stdout);
}

}  // namespace longshore::test
