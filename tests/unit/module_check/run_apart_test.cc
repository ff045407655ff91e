// Tests in processes of their own: their reports, their ends, and what they leave behind.
#include "tools/module_check/run_apart.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <chrono>
#include <thread>
#include <vector>

namespace longshore::module_check {
namespace {

using namespace std::chrono_literals;

TEST_CASE("a process apart gives its report") {
  const Report report = run_apart(
      [](Steps&) -> Report {
        return {Outcome::kWarning, std::string(20'000, 'x'), "do it", false};
      },
      30s);
  CHECK(report.outcome == Outcome::kWarning);
  CHECK(report.text.size() > 1000);  // as much as there is room for
  CHECK(report.advice == "do it");
  CHECK_FALSE(report.serves);
}

TEST_CASE("a process apart that ends too early or never is named by its last step") {
  const auto report_of = [](void (*end)(), std::chrono::nanoseconds limit) {
    return run_apart(
        [&](Steps& steps) -> Report {
          steps.begin("trying");
          end();
          return {};
        },
        limit);
  };
  const Report exited = report_of([] { std::_Exit(7); }, 60s);
  CHECK(exited.outcome == Outcome::kFailed);
  CHECK(exited.text == "the module ended the process with status 7, while trying");
  const Report hung = report_of(
      [] {
        for (;;) pause();
      },
      3s);
  CHECK(hung.outcome == Outcome::kFailed);
  CHECK(hung.text == "it hangs, while trying");
  const Report killed = report_of([] { kill(getpid(), SIGKILL); }, 60s);
  CHECK(killed.outcome == Outcome::kCrashed);
  CHECK(killed.text == "SIGKILL, while trying");
}

// A process in a session of its own, whose parent has ended; it starts another one like it.
void leave_daemons(int count) {
  const pid_t child = fork();
  if (child > 0) {
    waitpid(child, nullptr, 0);
    return;
  }
  setsid();
  if (fork() > 0) _exit(0);
  alarm(60);  // should nobody kill it
  if (count > 1) leave_daemons(count - 1);
  for (;;) pause();
}

// Whether nobody has the other end of this pipe.
bool is_closed(int pipe) {
  pollfd wanted{pipe, POLLIN, 0};
  return poll(&wanted, 1, 0) == 1 && (wanted.revents & POLLHUP) != 0;
}

TEST_CASE("daemons that a process apart leaves behind are killed, however it ends") {
  const bool hangs = GENERATE(false, true);
  std::array<int, 2> ends{};
  REQUIRE(pipe(ends.data()) == 0);
  const Report report = run_apart(
      [&](Steps& steps) -> Report {
        leave_daemons(3);
        steps.begin("trying");
        while (hangs) pause();
        return {};
      },
      hangs ? 3s : 60s);
  close(ends[1]);
  CHECK(report.outcome == (hangs ? Outcome::kFailed : Outcome::kPassed));
  CHECK(report.text == (hangs ? "it hangs, while trying" : ""));
  CHECK(is_closed(ends[0]));
  close(ends[0]);
}

TEST_CASE("children that this process had before outlive a process apart") {
  const pid_t other = fork();
  REQUIRE(other >= 0);
  if (other == 0) {
    alarm(60);
    for (;;) pause();
  }
  run_apart([](Steps&) -> Report { return {}; }, 60s);
  CHECK(waitpid(other, nullptr, WNOHANG) == 0);
  kill(other, SIGKILL);
  waitpid(other, nullptr, 0);
}

TEST_CASE("steps of several threads are told whole") {
  const Report report = run_apart(
      [](Steps& steps) -> Report {
        std::vector<std::thread> threads;
        for (const char letter : {'a', 'b', 'c', 'd'}) {
          threads.emplace_back([&steps, text = std::string(400, letter)] {
            for (int i = 0; i < 20'000; ++i) steps.begin(text);
          });
        }
        for (std::thread& thread : threads) thread.join();
        _exit(0);  // the thread sanitizer makes it another status if they race
      },
      60s);
  const std::string before = "the module ended the process with status 0, while ";
  REQUIRE(report.text.starts_with(before));
  const std::string step = report.text.substr(before.size());
  CHECK(step == std::string(400, step.at(0)));
}

}  // namespace
}  // namespace longshore::module_check
