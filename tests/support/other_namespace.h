// A process in a mount namespace of its own, in which stays mounted what was mounted when it began.
// Only in tests that run contained (contained.cc): there nothing is shared between namespaces.
#pragma once

#include <sched.h>
#include <unistd.h>

#include <string>

#include "tests/support/live_process.h"

namespace longshore::test {

class OtherNamespace {
 public:
  OtherNamespace()
      : process_([] {
          if (::unshare(CLONE_NEWNS) != 0) ::_exit(1);
        }) {}

  // As errors name it.
  std::string name() const { return "process " + std::to_string(process_.id()) + " ("; }

 private:
  LiveProcess process_;
};

}  // namespace longshore::test
