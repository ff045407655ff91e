// Agents that are killed anywhere between mapping and unmapping a share, on a real kernel and a
// real server.
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <functional>
#include <iostream>
#include <random>
#include <thread>

#include "longshore/linux/file_descriptor.hpp"
#include "tests/guest/mounted_shares.h"
#include "tests/guest/smb_guest_node.h"
#include "tests/support/random_seed.h"

namespace longshore::smb {
namespace {

using test::mounted_shares;
using Call = std::function<std::string()>;

// How many calls a process ended that makes the two in turn until it is killed: so long after the
// first of them, or after its own start.
size_t calls_before_kill(bool is_after_first, std::chrono::microseconds moment, const Call& map,
                         const Call& unmap) {
  int ends[2];
  REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
  const FileDescriptor ended(ends[0]);
  FileDescriptor ending(ends[1]);
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    for (bool goes_on = true; goes_on;) {
      for (const Call* call : {&map, &unmap}) {
        goes_on = goes_on && (*call)() == "OK" && ::write(ending.get(), "", 1) == 1;
      }
    }
    ::_exit(1);
  }
  ending = FileDescriptor();
  std::string all(4096, ' ');
  if (is_after_first) REQUIRE(::read(ended.get(), all.data(), 1) == 1);
  // Not a wait for anything: the moment of the kill is what varies.
  std::this_thread::sleep_for(moment);
  REQUIRE(::kill(child, SIGKILL) == 0);
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(WIFSIGNALED(status));  // else one of its calls failed
  const ssize_t size = ::read(ended.get(), all.data(), all.size());
  REQUIRE(size >= 0);
  return static_cast<size_t>(size) + (is_after_first ? 1 : 0);
}

std::chrono::microseconds time_of(const Call& call) {
  const auto begin = std::chrono::steady_clock::now();
  REQUIRE(call() == "OK");
  return std::chrono::ceil<std::chrono::microseconds>(std::chrono::steady_clock::now() - begin);
}

}  // namespace

TEST_CASE(
    "after kill -9 in the middle, a repeated call reaches its goal and leaves nothing behind") {
  Node node;
  node.world.make_remote_directory("a");
  const std::string remote = node.world.share() + "/a";
  const std::string local = node.world.local("volume");
  const Call calls[] = {[&] { return node.map(remote, local); },
                        [&] { return node.unmap(remote); }};
  // How late the kills come at most: at first, how long each call takes. The first time loads what
  // the kernel needs.
  std::chrono::microseconds latest[2];
  for (size_t time = 0; time < 4; ++time) latest[time % 2] = time_of(calls[time % 2]);
  std::mt19937_64 random(test::random_seed());
  int kills[] = {0, 0};  // while it mapped, and while it unmapped
  for (size_t round = 0; round < 20 || (std::ranges::min(kills) < 3 && round < 100); ++round) {
    const size_t wanted = round % 2;  // which of them it is to interrupt
    std::uniform_int_distribution<int64_t> moments(0, latest[wanted].count());
    const std::chrono::microseconds moment(moments(random));
    CAPTURE(round, moment.count());
    const size_t ended = calls_before_kill(wanted == 1, moment, calls[0], calls[1]);
    ++kills[ended % 2];
    // A call may take much less time, or more, than when it was timed.
    latest[wanted] =
        ended > wanted ? latest[wanted] / 2 + std::chrono::microseconds(1) : latest[wanted] * 2;
    CHECK(calls[0]() == "OK");
    CHECK(node.world.leads_to(local, "a"));
    CHECK(mounted_shares().size() == 1);
    CHECK(calls[1]() == "OK");
    CHECK(mounted_shares().empty());
    CHECK(std::filesystem::is_empty(node.world.root()));
    CHECK_FALSE(std::filesystem::exists(node.world.mappings() + "/127.0.0.1"));
  }
  std::cout << kills[0] << " kills while it mapped, " << kills[1] << " while it unmapped\n";
  CHECK(std::ranges::min(kills) >= 3);
}

}  // namespace longshore::smb
