// A server that accepts connections and then says nothing: mounting hangs in the kernel.
#include <catch2/catch.hpp>
#include <filesystem>
#include <future>
#include <thread>

#include "tests/unit/smb/linux_node.h"

namespace longshore::smb {
namespace {

constexpr std::chrono::minutes kLong(10);

// A service whose server can be frozen; it thaws at the end at the latest.
struct Frozen {
  explicit Frozen(const ShareMounter::Times& times = {.mount = std::chrono::milliseconds(50)})
      : world(times) {}
  ~Frozen() { thaw(); }

  void freeze() {
    world.kernel().held = held;
    is_frozen = true;
  }
  // Mounts that answer already are silent too.
  void freeze_all() {
    freeze();
    world.kernel().held_probe = held;
    world.kernel().held_detach = held;
  }
  // When a call hangs: mounting succeeds again, and what hung ends.
  void thaw() {
    const auto last = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (is_frozen && world.kernel().held_calls() == 0 &&
           std::chrono::steady_clock::now() < last) {
      std::this_thread::yield();
    }
    world.kernel().held = {};
    world.kernel().held_addresses = {};
    world.kernel().held_probe = {};
    world.kernel().held_find = {};
    world.kernel().held_detach = {};
    if (is_frozen) end.set_value();
    is_frozen = false;
  }
  std::string map(SmbService& by, const Deadline& deadline = {}) {
    std::string user = world.user();
    std::string password = world.password();
    const Result<void> result =
        by.new_mapping(world.share() + below, world.local(local), user, password, deadline, "new");
    CHECK(user.empty());
    CHECK(password.empty());
    complaint = result ? "" : result.error().message();
    return outcome(result);
  }
  std::string unmap(SmbService& by) {
    return outcome(by.remove_mapping(world.share(), {}, "remove"));
  }
  std::string map_until_it_is_over() {
    const auto last = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    std::string answer = map(service);
    while (answer == "UNAVAILABLE" && std::chrono::steady_clock::now() < last) {
      std::this_thread::yield();
      answer = map(service);
    }
    return answer;
  }

  std::promise<void> end;
  std::shared_future<void> held = end.get_future().share();
  bool is_frozen = false;
  std::string below;
  std::string local = "volume";
  std::string complaint;  // of the last map()
  LinuxWorld world;
  SmbService service{*support::AllowedRoots::from({world.root()}), world.backend(),
                     std::chrono::milliseconds(1)};
};

TEST_CASE("a server that says nothing is UNAVAILABLE and keeps nobody's turn") {
  Frozen node;
  node.freeze();
  CHECK(node.map(node.service) == "UNAVAILABLE");
  CHECK(node.map(node.service) == "UNAVAILABLE");
  CHECK(node.unmap(node.service) == "OK");
  CHECK_FALSE(node.world.is_mapped());
  CHECK(node.world.is_absent(node.world.local("volume")));
  node.thaw();
  CHECK(node.map_until_it_is_over() == "OK");
  CHECK(node.world.leads_to(node.world.local("volume"), ""));
  CHECK(node.unmap(node.service) == "OK");
}

TEST_CASE("a server that says nothing is waited for no longer than the call may take") {
  using Clock = Deadline::Clock;
  Frozen node({.mount = kLong});
  node.freeze();
  const auto before = Clock::now();
  CHECK(node.map(node.service, {before + std::chrono::milliseconds(50), {}}) ==
        "DEADLINE_EXCEEDED");
  CHECK(Clock::now() - before < std::chrono::minutes(5));
  // Nor does it keep the share's turn.
  CHECK(node.unmap(node.service) == "OK");
  node.thaw();
  CHECK(node.map_until_it_is_over() == "OK");
}

TEST_CASE("a call that is cancelled gives a server that says nothing up") {
  Frozen node({.mount = kLong});
  node.freeze();
  // It has no deadline.
  const Deadline deadline{.cancelled = [&] { return node.world.kernel().held_calls() > 0; }};
  CHECK(node.map(node.service, deadline) == "CANCELLED");
  CHECK(node.world.hanging_calls() == 1);
  // Others are told at once why they cannot have it, and may take away what is mapped.
  CHECK(node.map(node.service) == "UNAVAILABLE");
  CHECK_THAT(node.complaint, Catch::Contains("an earlier call, which was given up"));
  CHECK(node.world.kernel().held_calls() == 1);
  CHECK(node.unmap(node.service) == "OK");
  CHECK(node.world.is_absent(node.world.local("volume")));
  node.thaw();
  CHECK(node.map_until_it_is_over() == "OK");
  CHECK(node.world.hanging_calls() == 0);
}

TEST_CASE("an address that says nothing keeps nobody from the server's others") {
  Frozen node({.mount = std::chrono::milliseconds(500)});
  node.world.kernel().addresses = {{"192.0.2.1", 0}, {"192.0.2.2", 0}};
  node.world.kernel().held_address = "192.0.2.1";
  node.freeze();
  CHECK(node.map(node.service) == "OK");
  CHECK(node.unmap(node.service) == "OK");
  // Nor do the next calls wait for it.
  CHECK(node.map(node.service) == "OK");
  CHECK(node.world.kernel().held_calls() == 1);
}

TEST_CASE("whether a mapping answers is asked no longer than the call may take") {
  Frozen node({.probe = kLong, .mount = kLong});
  REQUIRE(node.map(node.service) == "OK");
  const auto before = node.world.kernel().mounted();
  node.freeze_all();
  const auto call = [&](const Deadline& deadline) { return node.map(node.service, deadline); };
  SECTION("until its deadline") {
    CHECK(call(Deadline().within(std::chrono::milliseconds(50))) == "DEADLINE_EXCEEDED");
  }
  SECTION("until it is cancelled") {
    CHECK(call({.cancelled = [&] { return node.world.kernel().held_calls() > 0; }}) == "CANCELLED");
  }
  CHECK(node.world.kernel().mounted() == before);
  CHECK(node.world.hanging_calls() == 1);
}

TEST_CASE("a name server that says nothing is given up with the call") {
  Frozen node;
  node.freeze();
  node.world.kernel().held_addresses = node.held;
  const Deadline deadline{.cancelled = [&] { return node.world.kernel().held_calls() > 0; }};
  CHECK(node.map(node.service, deadline) == "CANCELLED");
  CHECK(node.map(node.service) == "UNAVAILABLE");
  CHECK_THAT(node.complaint, Catch::Contains("name server has not answered an earlier call"));
  CHECK(node.unmap(node.service) == "OK");
  node.thaw();
  CHECK(node.map_until_it_is_over() == "OK");
}

TEST_CASE("a server that falls silent while a directory is looked for is given up") {
  Frozen node({.probe = std::chrono::milliseconds(500)});
  node.world.make_remote_directory("a");
  const bool is_mapped = GENERATE(false, true);
  if (is_mapped) REQUIRE(node.map(node.service) == "OK");
  const auto before = node.world.kernel().mounted();
  node.is_frozen = true;
  node.world.kernel().held_find = node.held;
  node.below = "/a";
  node.local = "a";
  CHECK(node.map(node.service) == "UNAVAILABLE");
  CHECK(node.world.kernel().mounted() == before);
  CHECK(node.unmap(node.service) == "OK");
}

TEST_CASE("what a call had mapped is taken away though nobody waits for the call any more") {
  Frozen node;
  node.world.make_remote_directory("a");
  node.is_frozen = true;
  node.world.kernel().held_find = node.held;
  node.below = "/a";
  // What a kernel takes to unmount.
  node.world.kernel().moment = [](const std::string& moment) {
    if (moment == "before detach") std::this_thread::sleep_for(std::chrono::milliseconds(50));
  };
  const Deadline deadline{.cancelled = [&] { return node.world.kernel().held_calls() > 0; }};
  CHECK(node.map(node.service, deadline) == "CANCELLED");
  CHECK(node.world.kernel().mounted().empty());
  CHECK_FALSE(std::filesystem::exists(node.world.mappings() + "/files"));
}

TEST_CASE("a share is taken away though the kernel cannot take leave of its server") {
  Frozen node({.leave = std::chrono::milliseconds(500)});
  REQUIRE(node.map(node.service) == "OK");
  node.freeze_all();
  SECTION("the mount is gone before") {
    CHECK(node.unmap(node.service) == "OK");
    CHECK_FALSE(node.world.is_mapped());
  }
  SECTION("the mount is not gone") {
    node.world.kernel().is_gone_before = false;
    CHECK(node.unmap(node.service) == "UNAVAILABLE");
    CHECK(node.world.is_mapped());
  }
  CHECK(node.world.hanging_calls() == 1);
}

TEST_CASE("a share that is mapped stays while its server says nothing, and can be taken away") {
  Frozen node;
  REQUIRE(node.map_until_it_is_over() == "OK");
  const auto before = node.world.kernel().mounted();
  node.freeze();
  CHECK(node.map(node.service) == "UNAVAILABLE");
  CHECK(node.world.kernel().mounted() == before);
  CHECK(node.unmap(node.service) == "OK");
  CHECK_FALSE(node.world.is_mapped());
}

TEST_CASE("while one asks the server, others wait for their turn no longer than they want") {
  std::promise<void> end;
  LinuxWorld world;
  world.kernel().held = end.get_future().share();
  SmbService service(*support::AllowedRoots::from({world.root()}), world.backend(),
                     std::chrono::milliseconds(1));
  std::string asked;
  // Its patience is short, too: it asks until it is its turn.
  std::thread asking([&] {
    do {
      std::string user = world.user();
      std::string password = world.password();
      asked = outcome(service.new_mapping(world.share(), "", user, password, {}, "first"));
    } while (asked == "ABORTED");
  });
  // Until the first has its turn, the others are answered by the server.
  const auto last = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  std::string answer;
  while (answer != "ABORTED" && std::chrono::steady_clock::now() < last) {
    answer = outcome(service.remove_mapping(world.share(), {}, "second"));
  }
  CHECK(answer == "ABORTED");
  std::string user = world.user();
  std::string password = world.password();
  CHECK(outcome(service.new_mapping(world.share(), "", user, password, {}, "third")) == "ABORTED");
  CHECK(user.empty());
  CHECK(password.empty());
  end.set_value();
  asking.join();
  CHECK(asked == "UNAVAILABLE");
}

}  // namespace
}  // namespace longshore::smb
