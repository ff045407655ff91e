// Agents that are killed anywhere in a connection's life: the next one reaches every goal, and no
// secret stays in any file.
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <random>

#include "tests/support/random_seed.h"
#include "tests/unit/iscsi/worlds.h"

namespace longshore::iscsi {
namespace {

Result<void> connect(IscsiBackendLinux& backend) {
  Login login;
  login.initiator = Credentials{"node", support::Secret::copy_of(kNodeSecret)};
  login.target = Credentials{the_target().name, support::Secret::copy_of(kTargetSecret)};
  return backend.connect(the_target(), login, {});
}

bool live_once(const OpenIscsiStandIn& open_iscsi) {
  IscsiBackendLinux backend(open_iscsi.options());
  return backend.remove_leftovers() && backend.add_portal(the_target().portal, {}) &&
         connect(backend) && backend.disconnect(the_target(), {}) &&
         backend.remove_portal(the_target().portal, {});
}

// What an agent does until it is killed.
[[noreturn]] void live(const OpenIscsiStandIn& open_iscsi) {
  while (live_once(open_iscsi)) {
  }
  ::_exit(1);
}

// How long one such life takes here: sanitizers make it several times as long.
int milliseconds_of_life(const OpenIscsiStandIn& open_iscsi) {
  const auto begin = std::chrono::steady_clock::now();
  REQUIRE(live_once(open_iscsi));
  return static_cast<int>(
      std::chrono::ceil<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begin)
          .count());
}

// Ends one such agent after some time, and waits for the programs that it left.
void kill_one(const OpenIscsiStandIn& open_iscsi, int milliseconds) {
  const pid_t agent = ::fork();
  REQUIRE(agent >= 0);
  if (agent == 0) live(open_iscsi);
  ::poll(nullptr, 0, milliseconds);
  REQUIRE(::kill(agent, SIGKILL) == 0);
  int status = 0;
  REQUIRE(::waitpid(agent, &status, 0) == agent);
  CHECK(WIFSIGNALED(status));  // else one of its calls failed
  while (::waitpid(-1, &status, 0) > 0) {
  }
}

TEST_CASE("after a kill at any point every call reaches its goal, and no secret is left") {
  REQUIRE(::prctl(PR_SET_CHILD_SUBREAPER, 1) == 0);
  std::mt19937 random(test::random_seed());
  OpenIscsiStandIn open_iscsi;
  open_iscsi.offer(the_target(),
                   {.username = "node", .secret = kNodeSecret, .own_secret = kTargetSecret});
  const int latest = milliseconds_of_life(open_iscsi);
  // Rounds whose kill came while secrets were on the disk: a few of them are waited for.
  int hits = 0;
  for (int round = 0; round < 40 || (hits < 3 && round < 1000); ++round) {
    const int milliseconds = std::uniform_int_distribution(0, latest)(random);
    CAPTURE(round, milliseconds);
    kill_one(open_iscsi, milliseconds);
    hits += open_iscsi.has_anywhere(kNodeSecret) ? 1 : 0;
    IscsiBackendLinux backend(open_iscsi.options());
    REQUIRE(backend.remove_leftovers());
    CHECK_FALSE(open_iscsi.has_anywhere(kNodeSecret));
    CHECK_FALSE(open_iscsi.has_anywhere(kTargetSecret));
    CHECK_FALSE(std::filesystem::exists(open_iscsi.path("lock/lock.write")));
    // Whichever call was cut short is one of these.
    const bool ends = round % 2 == 0;
    if (!ends) REQUIRE(backend.add_portal(the_target().portal, {}));
    if (!ends) REQUIRE(connect(backend));
    if (!ends) CHECK(backend.disks(the_target(), {})->size() == 1);
    REQUIRE(backend.disconnect(the_target(), {}));
    REQUIRE(backend.remove_portal(the_target().portal, {}));
    CHECK(backend.disks(the_target(), {})->empty());
    CHECK(backend.portals()->empty());
    CHECK_FALSE(std::filesystem::exists(open_iscsi.record_of(the_target())));
    CHECK_FALSE(open_iscsi.has_anywhere(kNodeSecret));
  }
  ::prctl(PR_SET_CHILD_SUBREAPER, 0);
  CHECK(hits >= 3);
}

}  // namespace
}  // namespace longshore::iscsi
