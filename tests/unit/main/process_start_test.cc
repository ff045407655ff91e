// The signals that come before the agent waits for them.
#include "main/process_start.h"

#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>

namespace longshore {
namespace {

TEST_CASE(
    "A process that has just begun ends in order at SIGTERM, and ignores what it was told to") {
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    std::signal(SIGINT, SIG_IGN);
    prepare_process("test");
    ::raise(SIGINT);
    ::raise(SIGTERM);
    ::_exit(1);
  }
  int status = -1;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
}

}  // namespace
}  // namespace longshore
