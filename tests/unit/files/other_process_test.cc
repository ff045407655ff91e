#include "files/linux/other_process.h"

#include <unistd.h>

#include <catch2/catch.hpp>

#include "tests/support/held_process.h"

namespace longshore::files {
namespace {

std::string sentence_about(int process) {
  return taken_by(process, Error(StatusCode::kFailedPrecondition, "lock", "/x"), "has it",
                  "state_dir")
      .message();
}

TEST_CASE("A process that has what is needed is named") {
  CHECK(sentence_about(::getpid()) ==
        "cannot lock \"/x\": process " + std::to_string(::getpid()) +
            " (files_test) has it; stop the other agent, or give this one another state_dir");
}

TEST_CASE("A process that nobody knows is another process") {
  const int process = GENERATE(0, -1, 0x7fffffff);
  CHECK(sentence_about(process) ==
        "cannot lock \"/x\": another process has it; stop the other agent, or give this one "
        "another state_dir");
}

TEST_CASE("Of a process that cannot end it is said what it waits for") {
  const test::HeldProcess held([] {});
  CHECK(
      sentence_about(held.id()) ==
      "cannot lock \"/x\": process " + std::to_string(held.id()) +
          " (files_test) has it, and the kernel keeps it from ending, as it does while a server "
          "or "
          "a device does not answer; have the server answer or close its connections, restart the "
          "node, or give this one another state_dir");
}

}  // namespace
}  // namespace longshore::files
