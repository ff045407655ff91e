// A server that accepts connections and then says nothing: mounting hangs in the kernel.
#include <catch2/catch.hpp>
#include <future>
#include <thread>

#include "tests/unit/smb/linux_node.h"

namespace longshore::smb {
namespace {

// A service whose server can be frozen; it thaws at the end at the latest.
struct Frozen {
  explicit Frozen(std::chrono::milliseconds mount_timeout = std::chrono::milliseconds(50))
      : world(mount_timeout) {}
  ~Frozen() { thaw(); }

  void freeze() {
    world.kernel().held = held;
    is_frozen = true;
  }
  // When a call hangs: mounting succeeds again, and what hung ends.
  void thaw() {
    const auto last = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (is_frozen && world.kernel().held_calls() == 0 &&
           std::chrono::steady_clock::now() < last) {
      std::this_thread::yield();
    }
    world.kernel().held = {};
    if (is_frozen) end.set_value();
    is_frozen = false;
  }
  std::string map(SmbService& by, const support::CallLimits& limits = {}) {
    std::string user = world.user();
    std::string password = world.password();
    const std::string answer = outcome(
        by.new_mapping(world.share(), world.local("volume"), user, password, limits, "new"));
    CHECK(user.empty());
    CHECK(password.empty());
    return answer;
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
  using Clock = support::CallLimits::Clock;
  Frozen node{std::chrono::minutes(10)};
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

TEST_CASE("a share that is mapped stays while its server says nothing, and can be taken away") {
  Frozen node;
  REQUIRE(node.map(node.service) == "OK");
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
