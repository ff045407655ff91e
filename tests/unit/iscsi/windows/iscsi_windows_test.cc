// What only the backend for Windows has: the initiator's codes, sessions that others made, secrets
// that Windows keeps.
#include <catch2/catch.hpp>

#include "tests/support/outcome.h"
#include "tests/unit/iscsi/windows/connected_world.h"

namespace longshore::iscsi {
namespace {

using test::outcome;
using Names = std::vector<std::string>;

TEST_CASE("a service that does not run is said to be started") {
  const ULONG code = GENERATE(0xEFFF003E, ERROR_SERVICE_NOT_ACTIVE, RPC_S_SERVER_UNAVAILABLE);
  WindowsWorld world;
  world.initiator().codes = {{"report_portals", code}, {"list_sessions", code}};
  const auto portals = world.service().portals();
  REQUIRE(outcome(portals) == "FAILED_PRECONDITION");
  CHECK_THAT(portals.error().message(), Catch::Contains("MSiSCSI") && Catch::Contains("start it"));
  CHECK(outcome(world.service().add_portal(world.portal(), {})) == "FAILED_PRECONDITION");
  CHECK(outcome(world.service().disconnect(world.portal(), world.target(), {})) ==
        "FAILED_PRECONDITION");
}

TEST_CASE("the initiator's codes become gRPC's") {
  const auto [code, answer] = GENERATE(table<ULONG, std::string>({
      {0xEFFF0002, "UNAVAILABLE"},
      {0xEFFF0003, "UNAVAILABLE"},
      {0xEFFF0009, "UNAUTHENTICATED"},
      {0xEFFF000A, "PERMISSION_DENIED"},
      {0xEFFF0014, "RESOURCE_EXHAUSTED"},
      {0xEFFF001E, "RESOURCE_EXHAUSTED"},
      {0xEFFF0029, "NOT_FOUND"},
      {0xEFFF0034, "FAILED_PRECONDITION"},
      {0xEFFF003F, "OK"},
      {0xEFFF0016, "OK"},
      {0xEFFF7777, "INTERNAL"},
      {ERROR_ACCESS_DENIED, "PERMISSION_DENIED"},
      {ERROR_MOD_NOT_FOUND, "FAILED_PRECONDITION"},
      {ERROR_GEN_FAILURE, "INTERNAL"},
  }));
  CAPTURE(code);
  WindowsWorld world;
  REQUIRE(world.service().add_portal(world.portal(), {}));
  world.initiator().codes["log_in"] = code;
  CHECK(outcome(world.service().connect({.portal = world.portal(), .target = world.target()},
                                        {})) == answer);
}

TEST_CASE("a portal that was taken in without an answer is taken out again") {
  WindowsWorld world;
  world.initiator().codes["add_portal"] = 0xEFFF0003;
  CHECK(outcome(world.service().add_portal(world.portal(), {})) == "UNAVAILABLE");
  CHECK(world.initiator().portals.empty());
}

TEST_CASE("all sessions of a target are logged out, and what would log in again goes too") {
  Connected node;
  InitiatorStandIn& initiator = node.world.initiator();
  initiator.sessions[100] = {node.world.target(), {the_target().portal, {"192.0.2.9", 3260}}};
  initiator.sessions[101] = {node.world.target(), {}};                     // lost its connection
  initiator.sessions[102] = {node.world.target(), {{"192.0.2.9", 3260}}};  // another portal's
  initiator.sessions[103] = {"iqn.2001-04.org.example:other", {the_target().portal}};
  initiator.done.clear();
  CHECK(outcome(node.disconnect()) == "OK");
  CHECK(initiator.sessions.size() == 2);
  CHECK(initiator.sessions.contains(102));
  CHECK(initiator.sessions.contains(103));
  CHECK(initiator.done.back() == "remove persistent " + node.world.target());
}

TEST_CASE("a session that ends by itself meanwhile is as good as logged out") {
  Connected node;
  node.world.initiator().codes["log_out"] = 0xEFFF001C;
  CHECK(outcome(node.disconnect()) == "OK");
  node.world.initiator().codes["list_devices"] = 0xEFFF001C;
  CHECK(node.disks()->empty());
}

TEST_CASE("a target that lost its connection is not connected twice") {
  Connected node;
  node.world.initiator().sessions.begin()->second.portals.clear();
  node.world.initiator().done.clear();
  const Result<void> connected = node.connect();
  CHECK(outcome(connected) == "UNAVAILABLE");
  CHECK(node.world.initiator().done.empty());
}

TEST_CASE("a target that is new at its portal is found, one at other addresses only is not") {
  WindowsWorld world;
  InitiatorStandIn& initiator = world.initiator();
  REQUIRE(world.service().add_portal(world.portal(), {}));
  initiator.offered["iqn.2001-04.org.example:new"] = {.portals = {the_target().portal}};
  initiator.offered["iqn.2001-04.org.example:away"] = {.portals = {{"192.0.2.9", 3260}}};
  const auto connect = [&](const std::string& name) {
    return outcome(world.service().connect({.portal = world.portal(), .target = name}, {}));
  };
  CHECK(connect("iqn.2001-04.org.example:new") == "OK");
  CHECK(connect("iqn.2001-04.org.example:away") == "NOT_FOUND");
  CHECK(*world.service().discover(world.portal(), {}) ==
        Names{"iqn.2001-04.org.example:disks", "iqn.2001-04.org.example:new"});
}

TEST_CASE("a portal with a host's name is what the name leads to") {
  WindowsWorld world;
  InitiatorStandIn& initiator = world.initiator();
  initiator.hosts["storage.example.org"] = {"192.0.2.1"};
  const PortalRequest portal{"Storage.example.org", 0};
  REQUIRE(world.service().add_portal(portal, {}));
  CHECK(*world.service().discover(portal, {}) == Names{world.target()});
  CHECK(outcome(world.service().connect({.portal = portal, .target = world.target()}, {})) == "OK");
  CHECK(world.service().disks(portal, world.target(), {})->size() == 1);
  CHECK(world.service().disks(world.portal(), world.target(), {})->size() == 1);
  CHECK(outcome(world.service().disconnect(portal, world.target(), {})) == "OK");
  CHECK_FALSE(world.is_connected());
}

TEST_CASE("the secret of MUTUAL_CHAP is Windows' to keep") {
  WindowsWorld world({.username = "node", .secret = kNodeSecret, .own_secret = kTargetSecret});
  const auto set = [&](const std::string& secret) {
    return world.service().set_mutual_secret(support::Secret::copy_of(secret));
  };
  CHECK(outcome(set("too short")) == "INVALID_ARGUMENT");
  CHECK(outcome(set(std::string(17, 'x'))) == "INVALID_ARGUMENT");
  CHECK(world.initiator().chap_secret.empty());
  CHECK(outcome(set(kTargetSecret)) == "OK");
  CHECK(world.initiator().chap_secret == kTargetSecret);
  CHECK(world.service().mutual_secret().empty());
  world.initiator().codes["set_chap_secret"] = 0xEFFF003E;
  const Result<void> refused = set(kTargetSecret);
  REQUIRE(outcome(refused) == "FAILED_PRECONDITION");
  CHECK_THAT(refused.error().message(), !Catch::Contains(kTargetSecret));

  // Another service, as after a restart of the agent.
  IscsiService next("{iqn}", world.backend());
  REQUIRE(next.add_portal(world.portal(), {}));
  CHECK(outcome(next.connect({.portal = world.portal(),
                              .target = world.target(),
                              .authentication = 2,
                              .username = "node",
                              .secret = support::Secret::copy_of(kNodeSecret)},
                             {})) == "OK");
}

TEST_CASE("this system's initiator is asked, or said to be missing") {
  // Wine's library, where it has one, has no function of it.
  IscsiBackendWindows backend(native_initiator_library());
  const auto portals = backend.portals();
  REQUIRE_FALSE(portals);
  CHECK_THAT(portals.error().message(), Catch::Contains("cannot list the portals"));
  CHECK(outcome(backend.add_portal(the_target().portal, {})) == outcome(portals));
}

}  // namespace
}  // namespace longshore::iscsi
