// Answers of the initiator's that take some asking, and what comes of those that lie. What is read
// of them: initiator_answers_test.cc.
#include "iscsi/windows/initiator_queries.h"

#include <catch2/catch.hpp>
#include <cstring>

#include "tests/support/outcome.h"
#include "tests/unit/iscsi/windows/connected_world.h"

namespace longshore::iscsi {
namespace {

using test::outcome;

const InitiatorPurpose kPurpose{"ask", "the initiator"};

TEST_CASE("answers that are larger than expected are asked for again") {
  InitiatorStandIn initiator;
  OfferedTarget target;
  for (uint16_t port = 1; port <= 100; ++port) {
    initiator.portals.push_back({"192.0.2.1", port});
    target.portals.push_back({"192.0.2.1", port});
    target.disks.push_back(port);
    const std::string name =
        "iqn.2001-04.org.example:" + std::string(190, 'x') + std::to_string(port);
    initiator.offered[name] = {};
    initiator.discovered.insert(name);
    initiator.sessions[port] = {name, {{"192.0.2.1", port}, {"2001:db8::1", port}}};
  }
  initiator.offered["iqn.2001-04.org.example:a"] = target;
  initiator.discovered.insert("iqn.2001-04.org.example:a");
  initiator.sessions[200] = {"iqn.2001-04.org.example:a", {}};
  CHECK(read_portals(initiator, kPurpose)->size() == 100);
  CHECK(read_targets(initiator, kPurpose)->size() == 101);
  CHECK(read_portals_of(initiator, "iqn.2001-04.org.example:a", kPurpose)->size() == 100);
  CHECK(read_disks(initiator, {7, 200}, kPurpose)->size() == 100);
  const auto sessions = read_sessions(initiator, kPurpose);
  REQUIRE(sessions);
  REQUIRE(sessions->size() == 101);
  CHECK(sessions->at(1).portals == std::vector<Portal>{{"192.0.2.1", 2}, {"2001:db8::1", 2}});
}

TEST_CASE("room that is never enough ends with an error") {
  InitiatorStandIn initiator;
  initiator.offered["iqn.2001-04.org.example:a"] = {};
  initiator.discovered.insert("iqn.2001-04.org.example:a");
  initiator.sessions[1] = {"iqn.2001-04.org.example:a", {}};
  const ULONG needed = GENERATE(0, 1, 100, 0xffffffff);
  const ULONG answered = GENERATE(ERROR_INSUFFICIENT_BUFFER, ERROR_MORE_DATA);
  int asks = 0;
  initiator.spoil = [&](std::span<std::byte>, ULONG& size, ULONG& count, ULONG& code) {
    ++asks;
    size = count = needed;
    code = answered;
  };
  const auto is_refused = [](const std::string& answer) {
    return answer == "INTERNAL" || answer == "UNAVAILABLE";
  };
  CHECK(is_refused(outcome(read_portals(initiator, kPurpose))));
  CHECK(is_refused(outcome(read_targets(initiator, kPurpose))));
  CHECK(is_refused(outcome(read_portals_of(initiator, "iqn.2001-04.org.example:a", kPurpose))));
  CHECK(is_refused(outcome(read_sessions(initiator, kPurpose))));
  CHECK(is_refused(outcome(read_disks(initiator, {7, 1}, kPurpose))));
  CHECK(asks <= 5 * 8);
}

TEST_CASE("counts that lie are not believed") {
  Connected node;
  const ULONG lie = GENERATE(1'000, 1'000'000, 0xffffffff);
  node.world.initiator().spoil = [&](std::span<std::byte>, ULONG&, ULONG& count, ULONG&) {
    count = lie;
  };
  InitiatorStandIn& initiator = node.world.initiator();
  CHECK(outcome(read_portals(initiator, kPurpose)) == "INTERNAL");
  CHECK(outcome(read_portals_of(initiator, node.world.target(), kPurpose)) == "INTERNAL");
  CHECK(outcome(read_sessions(initiator, kPurpose)) == "INTERNAL");
  CHECK(outcome(read_disks(initiator, {7, 1}, kPurpose)) == "INTERNAL");
  CHECK(outcome(node.disconnect()) == "INTERNAL");
  CHECK(node.world.is_connected());
}

TEST_CASE("a session that points out of its answer is an error of every call that looks at it") {
  Connected node;
  InitiatorStandIn& initiator = node.world.initiator();
  static char16_t elsewhere[] = u"iqn.2001-04.org.example:elsewhere";
  initiator.spoil = [](std::span<std::byte> buffer, ULONG&, ULONG&, ULONG&) {
    SessionInfo info;
    std::memcpy(&info, buffer.data(), sizeof(info));
    info.target_node_name = reinterpret_cast<uintptr_t>(elsewhere);
    std::memcpy(buffer.data(), &info, sizeof(info));
  };
  const auto sessions = read_sessions(initiator, kPurpose);
  REQUIRE(outcome(sessions) == "INTERNAL");
  CHECK_THAT(sessions.error().message(), Catch::Contains("makes no sense"));
  CHECK(outcome(node.connect()) == "INTERNAL");
  CHECK(outcome(node.disks()) == "INTERNAL");
}

TEST_CASE("a list of names without an end is not read to where it might be") {
  InitiatorStandIn initiator;
  initiator.spoil = [](std::span<std::byte> buffer, ULONG& size, ULONG&, ULONG&) {
    std::memset(buffer.data(), 'x', buffer.size());
    size = 0xffffffff;
  };
  CHECK(outcome(read_targets(initiator, kPurpose)) == "INTERNAL");
}

}  // namespace
}  // namespace longshore::iscsi
