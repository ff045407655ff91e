#include "observe/other_process.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "tests/support/held_process.h"
#include "tests/support/temporary_directory.h"

namespace longshore::observe {
namespace {

std::string sentence_about(int process) {
  return taken_by(process, Error(StatusCode::kFailedPrecondition, "lock", "/x"), "has it",
                  "state_dir")
      .message();
}

TEST_CASE("A process that has what is needed is named") {
  CHECK(sentence_about(::getpid()) ==
        "cannot lock \"/x\": process " + std::to_string(::getpid()) +
            " (observe_test) has it; stop the other agent, or give this one another state_dir");
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
          " (observe_test) has it, and the kernel keeps it from ending, as it does while a server "
          "or "
          "a device does not answer; have the server answer or close its connections, restart the "
          "node, or give this one another state_dir");
}

TEST_CASE("Who has the lock on a file is known, though it cannot end") {
  const test::TemporaryDirectory directory;
  const std::string path = directory / "file";
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  REQUIRE(descriptor >= 0);
  CHECK(lock_holder_of(descriptor) == 0);
  {
    const test::HeldProcess held([&] {
      if (::flock(::open(path.c_str(), O_RDWR), LOCK_EX) != 0) ::_exit(1);
    });
    CHECK(lock_holder_of(descriptor) == held.id());
  }
  CHECK(test::eventually([&] { return lock_holder_of(descriptor) == 0; }));
  ::close(descriptor);
  CHECK(lock_holder_of(-1) == 0);
}

}  // namespace
}  // namespace longshore::observe
