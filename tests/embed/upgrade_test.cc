// A module is replaced while an embedded agent's callers are at it.
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <future>
#include <thread>
#include <vector>

#include "tests/embed/embedded.h"
#include "tests/support/build_tree.h"
#include "tests/support/other_build.h"
#include "tests/support/process_figures.h"
#include "tests/support/upgrade_count.h"

namespace longshore::test {
namespace {

// Calls all the time, waited for and told, until it ends; counts what did not go well.
class Callers {
 public:
  explicit Callers(const Embedded& embedded) {
    for (int i = 0; i < 3; ++i) {
      threads_.emplace_back([this, echo = embedded.echo(), i]() mutable {
        while (!over_) i == 0 ? start_one(echo) : call_one(echo, i == 1 ? "Say" : "SayAtOnce");
      });
    }
  }
  ~Callers() { end(); }

  void end() {
    over_ = true;
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

  std::atomic<int> well{0};
  std::atomic<int> failed{0};
  std::string first_error() const { return first_error_; }

 private:
  template <typename Answer>
  void note(const Answer& answer) {
    if (answer) {
      ++well;
    } else if (++failed == 1) {
      first_error_ = answer.error().message();
    }
  }
  void call_one(ApiGroup& echo, const char* method) {
    note(echo.call<echo::SayResponse>(method, say("here")));
  }
  void start_one(ApiGroup& echo) {
    std::promise<void> told;
    echo.start<echo::WaitResponse>("WaitAsync", wait_request(1), [&](auto answer) {
      note(answer);
      told.set_value();
    });
    told.get_future().wait();
  }

  std::atomic<bool> over_{false};
  std::string first_error_;
  std::vector<std::thread> threads_;
};

TEST_CASE("no call fails while a module is replaced again and again, and nothing piles up",
          "[plain][embed]") {
  // None hangs, and one that is left behind for its slowness leaks.
  Embedded embedded("[modules.echo]\n", {}, "60s");
  const std::string other = embedded.directory() / "longshore-echo-2.so";
  write_other_build(built_module("echo"), other);
  const auto replace = [&](int i) {
    const std::string library = i % 2 == 0 ? other : built_module("echo");
    return embedded.agent().reload(
        embedded.toml("[modules.echo]\nlibrary = \"" + library + "\"\n"));
  };
  Callers callers(embedded);
  for (int i = 0; i < 20; ++i) REQUIRE(replace(i));
  const size_t descriptors = open_descriptors(getpid());
  const size_t memory = own_memory_kib(getpid());
  for (int i = 0; i < upgrades(); ++i) {
    const auto done = replace(i);
    INFO((done ? "" : done.error().message()));
    REQUIRE(done);
  }
  CHECK(open_descriptors(getpid()) <= descriptors);
  if (kMemoryTellsLeaks) CHECK(own_memory_kib(getpid()) < memory + 4096);
  callers.end();
  INFO(callers.first_error());
  CHECK(callers.failed == 0);
  CHECK(callers.well > upgrades());
}

TEST_CASE("a call that runs while its module is replaced comes to its own end", "[embed]") {
  Embedded embedded("[modules.echo]\n", {}, "200ms");
  const std::string other = embedded.directory() / "longshore-echo-2.so";
  write_other_build(built_module("echo"), other);
  std::promise<Result<echo::WaitResponse>> told;
  auto outcome = told.get_future();
  // Longer than the agent waits for calls when it ends.
  embedded.echo().start<echo::WaitResponse>("Wait", wait_request(800),
                                            [&](auto answer) { told.set_value(answer); });
  REQUIRE(embedded.agent().reload(embedded.toml("[modules.echo]\nlibrary = \"" + other + "\"\n")));
  REQUIRE(embedded.echo().call<echo::SayResponse>("Say", say("to the new one")));
  const auto answer = outcome.get();
  INFO((answer ? "" : answer.error().message()));
  REQUIRE(answer);
  CHECK_FALSE(answer->cancelled());
}

}  // namespace
}  // namespace longshore::test
