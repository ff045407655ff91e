// Which container a peer is in, asked by an agent that may know it and by one that may not.
#include "endpoint/peer.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <iostream>

#include "longshore/linux/file_descriptor.hpp"

namespace longshore::endpoint {
namespace {

constexpr uid_t kNobody = 65534;

uint64_t own_pid_namespace() {
  struct stat status {};
  REQUIRE(stat("/proc/self/ns/pid", &status) == 0);
  return status.st_ino;
}

// Whether `holds` does in a process of another user.
template <typename Condition>
bool holds_for_nobody(Condition holds) {
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) _exit(setresuid(kNobody, kNobody, kNobody) == 0 && holds() ? 0 : 1);
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST_CASE("A peer is known by its PID namespace, or where that is kept, by its control group") {
  if (geteuid() != 0) {
    std::cout << "SKIPPED: only root can become another user\n";
    SUCCEED();
    return;
  }
  int ends[2] = {-1, -1};
  REQUIRE(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  const FileDescriptor one(ends[0]), other(ends[1]);
  const uint64_t told = own_pid_namespace();
  CHECK(peer_of(one.get())->pid_namespace == told);
  // Root's links in /proc are not for others.
  CHECK(holds_for_nobody([&] {
    const auto peer = peer_of(one.get());
    const auto again = peer_of(other.get());
    return peer && again && peer->pid_namespace != 0 && peer->pid_namespace != told &&
           peer->pid_namespace == again->pid_namespace;
  }));
}

TEST_CASE("Every user but root is bounded over all its PID namespaces") {
  if (geteuid() != 0) {
    std::cout << "SKIPPED: only root can become another user\n";
    SUCCEED();
    return;
  }
  const auto bounded = [] {
    int ends[2] = {-1, -1};
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return std::optional<PeerUser>();
    const FileDescriptor one(ends[0]), other(ends[1]);
    const auto peer = peer_of(one.get());
    return peer ? peer->bounded_user : std::nullopt;
  };
  CHECK_FALSE(bounded());
  CHECK(holds_for_nobody([&] {
    const auto user = bounded();
    return user && user->user == kNobody && !user->is_in_container;
  }));
}

}  // namespace
}  // namespace longshore::endpoint
