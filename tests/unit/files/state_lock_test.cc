// The lock on the state directory: who has it, and what keeps it from being taken.
#include "files/state_lock.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <optional>

#include "tests/support/held_process.h"
#include "tests/support/live_process.h"
#include "tests/support/temporary_directory.h"

namespace longshore::files {
namespace {

using Catch::Contains;

struct StateDirectory {
  Result<StateLock> take() const { return StateLock::take(path); }
  // As another process does, which keeps what it has got.
  std::function<void()> taking() const {
    return [this] {
      auto lock = take();
      if (!lock) ::_exit(1);
      static_cast<void>(new StateLock(std::move(*lock)));
    };
  }
  std::optional<int> owner() const { return StateLock::owner_of(path); }

  test::TemporaryDirectory directory;
  const std::string path = directory / "state";
};

TEST_CASE("A state directory has one owner at a time, who is named") {
  const StateDirectory state;
  CHECK_FALSE(state.owner());
  {
    const test::LiveProcess other(state.taking());
    CHECK(state.owner() == other.id());
    const auto second = state.take();
    REQUIRE_FALSE(second);
    CHECK_THAT(second.error().message(), Contains("process " + std::to_string(other.id())) &&
                                             Contains(" has it; stop the other agent"));
  }
  CHECK_FALSE(state.owner());
  const auto next = state.take();
  REQUIRE(next);
  CHECK(next->warning().empty());
}

TEST_CASE("Of two agents in one process one has the state directory, as long as it lives") {
  const StateDirectory state;
  std::optional<Result<StateLock>> first(state.take());
  REQUIRE(*first);
  const auto second = StateLock::take(state.path + "/.");
  REQUIRE_FALSE(second);
  CHECK_THAT(second.error().message(), Contains("process " + std::to_string(::getpid())));
  // The refused one has not closed what the lock hangs on.
  CHECK_NOTHROW(test::LiveProcess([&] {
    if (state.owner() != ::getppid()) ::_exit(1);
  }));
  first.reset();
  CHECK(state.take());
}

TEST_CASE("A killed agent that cannot end leaves its state to one next agent") {
  const StateDirectory state;
  const test::HeldProcess held(state.taking());
  CHECK_FALSE(state.owner());
  {
    const auto next = state.take();
    REQUIRE(next);
    CHECK_THAT(next->warning(), Contains("process " + std::to_string(held.id())) &&
                                    Contains("the kernel keeps it from ending"));
  }
  const test::LiveProcess next(state.taking());
  CHECK(state.owner() == next.id());
  const auto third = state.take();
  REQUIRE_FALSE(third);
  CHECK_THAT(third.error().message(), Contains("process " + std::to_string(next.id())));
}

TEST_CASE("An agent that has taken over stays the owner when the killed one has ended") {
  const StateDirectory state;
  std::optional<test::HeldProcess> held(std::in_place, state.taking());
  const test::LiveProcess next(state.taking());
  held.reset();
  CHECK(state.owner() == next.id());
  CHECK_FALSE(state.take());
}

// What the process ends with that runs `see` where it sees no process from outside; nothing: none
// can be made.
std::optional<int> end_of_blind(const std::function<int()>& see) {
  constexpr int kNoNamespace = 77;
  const auto status_of = [](pid_t child) {
    int status = -1;
    const bool has_ended = child > 0 && ::waitpid(child, &status, 0) == child;
    return has_ended && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  };
  const pid_t child = ::fork();
  if (child == 0) {
    if (::unshare(CLONE_NEWPID) != 0) ::_exit(kNoNamespace);
    const pid_t blind = ::fork();  // the first process of the namespace
    if (blind == 0) ::_exit(see());
    ::_exit(status_of(blind));
  }
  const int status = status_of(child);
  return status == kNoNamespace ? std::nullopt : std::optional(status);
}

TEST_CASE("An owner that this process does not see is one all the same") {
  const StateDirectory state;
  const auto see = [&] { return state.owner() ? *state.owner() : 99; };
  {
    const test::LiveProcess other(state.taking());
    const std::optional<int> seen = end_of_blind(see);
    if (!seen) {
      std::puts("SKIPPED: only root can make a PID namespace");
      return;
    }
    CHECK(*seen == 0);
  }
  CHECK(end_of_blind(see) == 99);
}

TEST_CASE("A state directory that others can change is refused") {
  const StateDirectory state;
  std::filesystem::create_directory(state.path);
  SECTION("by its mode") { REQUIRE(::chmod(state.path.c_str(), 0777) == 0); }
  SECTION("by its owner") { REQUIRE(::chown(state.path.c_str(), 65534, 65534) == 0); }
  const auto lock = state.take();
  REQUIRE_FALSE(lock);
  CHECK_THAT(lock.error().message(), Contains("cannot trust"));
}

TEST_CASE("A link in the place of the lock is not followed") {
  const StateDirectory state;
  std::filesystem::create_directory(state.path);
  test::write_file(state.directory / "victim", "");
  std::filesystem::create_symlink(state.directory / "victim", state.path + "/.lock");
  const auto lock = state.take();
  REQUIRE_FALSE(lock);
  CHECK_THAT(lock.error().message(), Contains("it is a link, which is not followed"));
}

TEST_CASE("Where nothing can be locked, the agent goes on and says so") {
  const StateDirectory state;
  std::filesystem::create_directories(state.path + "/.lock");  // which can be opened by nobody
  const auto lock = state.take();
  REQUIRE(lock);
  CHECK_THAT(lock->warning(), Contains("would not be noticed"));
}

}  // namespace
}  // namespace longshore::files
