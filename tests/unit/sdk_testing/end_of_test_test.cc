// Violations that a test does not ask for end its program.
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>

#include "tests/unit/sdk_testing/echo_module.h"
#include "tests/unit/sdk_testing/liar.h"

namespace longshore::testing {
namespace {

struct Ending {
  int status = 0;
  std::string said;  // on standard error
};

// Runs a test that ends its host in a process of its own.
Ending ending_of(void (*test)()) {
  int pipe_ends[2];
  REQUIRE(pipe(pipe_ends) == 0);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    dup2(pipe_ends[1], STDERR_FILENO);
    signal(SIGABRT, SIG_DFL);
    test();
    _exit(0);
  }
  close(pipe_ends[1]);
  Ending ending;
  char text[256];
  for (ssize_t size = 0; (size = read(pipe_ends[0], text, sizeof(text))) > 0;) {
    ending.said.append(text, static_cast<size_t>(size));
  }
  close(pipe_ends[0]);
  REQUIRE(waitpid(child, &ending.status, 0) == child);
  return ending;
}

void lie_and_do_not_look() {
  Liar liar;
  liar.on_invoke = [&](longshore_call call) {
    liar.answer(call);
    liar.finish(call);
  };
  FakeHost host(liar.entry());
  static_cast<void>(host.start());
  static_cast<void>(host.call<echo::v1::SayResponse>(echo_method("Say"), say_request("x")));
}

void lie_at_the_end_and_look_before() {
  Liar liar;
  liar.on_stop = [&](longshore_call call) {
    liar.finish(call);
    liar.finish(call);
  };
  FakeHost host(liar.entry());
  static_cast<void>(host.start());
  static_cast<void>(host.violations());
}

void lie_and_look() {
  Liar liar;
  liar.on_stop = [&](longshore_call call) {
    liar.finish(call);
    liar.finish(call);
  };
  FakeHost host(liar.entry());
  static_cast<void>(host.start());
  if (host.end().size() != 1) _exit(1);
}

TEST_CASE("a violation that nobody asked for ends the program with its sentence") {
  for (const auto test : {&lie_and_do_not_look, &lie_at_the_end_and_look_before}) {
    const Ending ending = ending_of(test);
    REQUIRE(WIFSIGNALED(ending.status));
    CHECK(WTERMSIG(ending.status) == SIGABRT);
    CHECK_THAT(ending.said, Catch::Contains("broke the contract: finish was given call"));
  }
}

TEST_CASE("a violation that the test has seen does not") {
  const Ending ending = ending_of(&lie_and_look);
  REQUIRE(WIFEXITED(ending.status));
  CHECK(WEXITSTATUS(ending.status) == 0);
}

}  // namespace
}  // namespace longshore::testing
