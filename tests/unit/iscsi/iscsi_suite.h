// What the iscsi group promises, as cases that are the same for every backend.
//
// Included once by a file that has defined `Worlds`, a std::tuple of the worlds that it runs them
// in. A world is a node beside one target at one portal, made of a TargetSetup, and has
//   IscsiService& service();
//   PortalRequest portal() const;           // of the target
//   PortalRequest silent_portal() const;    // where nothing answers
//   std::string target() const;             // its name
//   bool is_connected() const;              // as seen from outside of the service
//   void begin_use();  void end_use();      // of a disk of the target, which is connected
#pragma once

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "iscsi/iscsi_service.h"
#include "tests/support/outcome.h"
#include "tests/unit/iscsi/target_setup.h"

namespace longshore::iscsi {
namespace {

using test::outcome;

// A node's side of a test.
template <typename World>
class Node {
 public:
  explicit Node(const TargetSetup& setup = {}) : world_(setup) {}

  World& world() { return world_; }
  IscsiService& service() { return world_.service(); }

  Result<void> add() { return service().add_portal(world_.portal(), {}); }
  Result<std::vector<std::string>> discover() { return service().discover(world_.portal(), {}); }
  Result<void> remove() { return service().remove_portal(world_.portal(), {}); }
  bool is_listed() {
    const auto portals = service().portals();
    REQUIRE(portals);
    const Result<Portal> own =
        parse_portal(world_.portal().address, world_.portal().port, "read the portal");
    REQUIRE(own);
    return std::ranges::count(*portals, *own) == 1;
  }

  Result<void> connect(Authentication authentication = Authentication::kNone,
                       const std::string& username = {}, const std::string& secret = {},
                       const Caller& caller = {}) {
    return service().connect({.portal = world_.portal(),
                              .target = world_.target(),
                              .authentication = static_cast<int>(authentication),
                              .username = username,
                              .secret = support::Secret::copy_of(secret)},
                             caller);
  }
  Result<void> disconnect() { return service().disconnect(world_.portal(), world_.target(), {}); }
  std::vector<uint32_t> disks() {
    const auto disks = service().disks(world_.portal(), world_.target(), {});
    REQUIRE(disks);
    return *disks;
  }

 private:
  World world_;
};

TEMPLATE_LIST_TEST_CASE("a portal is added, asked and removed", "", Worlds) {
  Node<TestType> node;
  CHECK_FALSE(node.is_listed());
  CHECK(outcome(node.discover()) == "NOT_FOUND");
  CHECK(outcome(node.add()) == "OK");
  CHECK(node.is_listed());
  CHECK(outcome(node.add()) == "OK");
  CHECK(node.is_listed());
  const auto targets = node.discover();
  REQUIRE(targets);
  CHECK(*targets == std::vector<std::string>{node.world().target()});
  CHECK(outcome(node.remove()) == "OK");
  CHECK_FALSE(node.is_listed());
  CHECK(outcome(node.remove()) == "OK");
  CHECK(outcome(node.discover()) == "NOT_FOUND");
}

TEMPLATE_LIST_TEST_CASE("a portal that does not answer is not added", "", Worlds) {
  Node<TestType> node;
  const PortalRequest silent = node.world().silent_portal();
  CHECK(outcome(node.service().add_portal(silent, {})) == "UNAVAILABLE");
  CHECK(node.service().portals()->empty());
  CHECK(outcome(node.service().discover(silent, {})) == "NOT_FOUND");
  CHECK(outcome(node.service().remove_portal(silent, {})) == "OK");
}

TEMPLATE_LIST_TEST_CASE("a target is connected and disconnected, each also twice", "", Worlds) {
  Node<TestType> node({.disks = 2});
  REQUIRE(node.add());
  CHECK(node.disks().empty());
  CHECK(outcome(node.disconnect()) == "OK");
  for (int round = 0; round < 2; ++round) {
    CAPTURE(round);
    CHECK(outcome(node.connect()) == "OK");
    CHECK(node.world().is_connected());
    CHECK(outcome(node.connect()) == "OK");
    const std::vector<uint32_t> disks = node.disks();
    CHECK(disks.size() == 2);
    CHECK(std::set<uint32_t>(disks.begin(), disks.end()).size() == 2);
    CHECK(outcome(node.disconnect()) == "OK");
    CHECK_FALSE(node.world().is_connected());
    CHECK(node.disks().empty());
    CHECK(outcome(node.disconnect()) == "OK");
  }
}

TEMPLATE_LIST_TEST_CASE("a target is reached through a known portal that offers it", "", Worlds) {
  Node<TestType> node;
  CHECK(outcome(node.connect()) == "NOT_FOUND");
  REQUIRE(node.add());
  CHECK(outcome(node.service().connect(
            {.portal = node.world().portal(), .target = "iqn.2001-04.org.example:nowhere"}, {})) ==
        "NOT_FOUND");
  CHECK_FALSE(node.world().is_connected());
}

TEMPLATE_LIST_TEST_CASE("a connection outlives its portal's removal", "", Worlds) {
  Node<TestType> node;
  REQUIRE(node.add());
  REQUIRE(node.connect());
  CHECK(outcome(node.remove()) == "OK");
  CHECK(node.world().is_connected());
  CHECK(outcome(node.connect()) == "OK");
  CHECK(outcome(node.disconnect()) == "OK");
  CHECK_FALSE(node.world().is_connected());
  CHECK(outcome(node.connect()) == "NOT_FOUND");
}

TEMPLATE_LIST_TEST_CASE("a target that asks for CHAP lets in who knows its secret", "", Worlds) {
  Node<TestType> node({.username = "node", .secret = kNodeSecret});
  REQUIRE(node.add());
  CHECK(outcome(node.connect()) == "UNAUTHENTICATED");
  constexpr auto kOneWay = Authentication::kOneWayChap;
  CHECK(outcome(node.connect(kOneWay, "node", "wrong-secret-1")) == "UNAUTHENTICATED");
  CHECK(outcome(node.connect(kOneWay, "nobody", kNodeSecret)) == "UNAUTHENTICATED");
  CHECK_FALSE(node.world().is_connected());
  CHECK(outcome(node.connect(kOneWay, "node", kNodeSecret)) == "OK");
  CHECK(node.world().is_connected());
  // It is connected already.
  CHECK(outcome(node.connect(kOneWay, "node", "wrong-secret-1")) == "OK");
  CHECK(outcome(node.disconnect()) == "OK");
  // Nothing of the secret is remembered.
  CHECK(outcome(node.connect()) == "UNAUTHENTICATED");
}

TEMPLATE_LIST_TEST_CASE("with MUTUAL_CHAP the target has to know its secret as well", "", Worlds) {
  Node<TestType> node({.username = "node", .secret = kNodeSecret, .own_secret = kTargetSecret});
  REQUIRE(node.add());
  const auto connect = [&] {
    return outcome(node.connect(Authentication::kMutualChap, "node", kNodeSecret));
  };
  const auto set = [&](const char* secret) {
    return outcome(node.service().set_mutual_secret(support::Secret::copy_of(secret)));
  };
  CHECK(connect() == "FAILED_PRECONDITION");
  CHECK(set("wrong-secret-1") == "OK");
  CHECK(connect() == "UNAUTHENTICATED");
  CHECK_FALSE(node.world().is_connected());
  CHECK(set(kTargetSecret) == "OK");
  CHECK(connect() == "OK");
  CHECK(node.world().is_connected());
  CHECK(outcome(node.disconnect()) == "OK");
}

TEMPLATE_LIST_TEST_CASE("a target whose disk is in use stays connected", "", Worlds) {
  Node<TestType> node;
  REQUIRE(node.add());
  REQUIRE(node.connect());
  REQUIRE(node.disks().size() == 1);
  node.world().begin_use();
  const Result<void> refused = node.disconnect();
  CHECK(outcome(refused) == "FAILED_PRECONDITION");
  CHECK(node.world().is_connected());
  node.world().end_use();
  CHECK(outcome(node.disconnect()) == "OK");
  CHECK_FALSE(node.world().is_connected());
}

TEMPLATE_LIST_TEST_CASE("a call that is over before it begins changes nothing", "", Worlds) {
  Node<TestType> node;
  REQUIRE(node.add());
  Caller late, cancelled;
  late.deadline.time = Deadline::Clock::now();
  cancelled.deadline.cancelled = [] { return true; };
  CHECK(outcome(node.connect(Authentication::kNone, {}, {}, late)) == "DEADLINE_EXCEEDED");
  CHECK(outcome(node.connect(Authentication::kNone, {}, {}, cancelled)) == "CANCELLED");
  CHECK_FALSE(node.world().is_connected());
  CHECK(outcome(node.service().remove_portal(node.world().portal(), late)) == "DEADLINE_EXCEEDED");
  CHECK(node.is_listed());
}

}  // namespace
}  // namespace longshore::iscsi
