// What the iscsi service does on its own: calls that meet, and the names that it gives to targets.
#include "iscsi/iscsi_service.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <string>

#include "tests/support/outcome.h"
#include "tests/unit/iscsi/iscsi_backend_fake.h"
#include "tests/unit/iscsi/target_setup.h"

namespace longshore::iscsi {
namespace {

using support::Secret;
using test::outcome;

const Target kTarget{{"192.0.2.1", 3260}, "iqn.2001-04.org.example:disks"};
const PortalRequest kPortalRequest{"192.0.2.1", 0};

ConnectRequest request(Authentication authentication, const std::string& username = "node") {
  return {.portal = kPortalRequest,
          .target = kTarget.name,
          .authentication = static_cast<int>(authentication),
          .username = username,
          .secret = Secret::copy_of(kNodeSecret)};
}

TEST_CASE(
    "while a target is connected, other changes of it are refused and other portals are not") {
  IscsiBackendFake backend;
  backend.put(kTarget, {});
  IscsiService service("{iqn}", backend);
  REQUIRE(service.add_portal(kPortalRequest, {}));
  std::vector<std::string> meanwhile;
  Caller first{.request_id = "first"};
  first.deadline.cancelled = [&] {  // asked by the backend, in the middle of the mutation
    const Result<void> refused = service.disconnect(kPortalRequest, kTarget.name, {});
    meanwhile = {outcome(refused), outcome(service.add_portal(kPortalRequest, {}))};
    CHECK_THAT(refused.error().message(),
               Catch::Contains("\"first\"") && Catch::Contains("connect to") &&
                   Catch::Contains("user name \"node\"") && !Catch::Contains(kNodeSecret));
    return false;
  };
  backend.put(kTarget, {.username = "node", .secret = kNodeSecret});
  CHECK(outcome(service.connect(request(Authentication::kOneWayChap), first)) == "OK");
  CHECK(meanwhile == std::vector<std::string>{"ABORTED", "OK"});
}

TEST_CASE("one target through two portals is changed by one call after the other") {
  const Target second{{"localhost", 3260}, kTarget.name};
  const Target other{{"localhost", 3260}, "iqn.2001-04.org.example:others"};
  IscsiBackendFake backend;
  for (const Target& target : {kTarget, second, other}) backend.put(target, {});
  IscsiService service("{iqn}", backend);
  REQUIRE(service.add_portal(kPortalRequest, {}));
  REQUIRE(service.add_portal(PortalRequest{"localhost", 0}, {}));
  std::vector<std::string> meanwhile;
  Caller first;
  first.deadline.cancelled = [&] {  // asked by the backend, in the middle of the mutation
    const auto connect = [&](const Target& target, std::chrono::milliseconds patience) {
      Caller caller;
      caller.deadline.time = Deadline::Clock::now() + patience;
      return outcome(service.connect(
          {.portal = PortalRequest{target.portal.address, 0}, .target = target.name}, caller));
    };
    if (meanwhile.empty()) {
      meanwhile = {"asked"};
      meanwhile = {connect(second, std::chrono::milliseconds(50)),
                   connect(other, std::chrono::seconds(20))};
    }
    return false;
  };
  CHECK(outcome(service.connect({.portal = kPortalRequest, .target = kTarget.name}, first)) ==
        "OK");
  CHECK(meanwhile == std::vector<std::string>{"DEADLINE_EXCEEDED", "OK"});
  CHECK_FALSE(backend.is_connected(second));
  CHECK(outcome(service.connect({.portal = PortalRequest{"localhost", 0}, .target = kTarget.name},
                                {})) == "OK");
}

TEST_CASE("what a target calls itself is set by a pattern") {
  const auto [pattern, name] = GENERATE(table<std::string, std::string>({
      {"{iqn}", kTarget.name},
      {"{username}", "node"},
      {"storage", "storage"},
      {"{username}@{iqn}", "node@" + kTarget.name},
      {"{username}{username}", "nodenode"},
  }));
  IscsiBackendFake backend;
  backend.put(kTarget, {.username = "node",
                        .secret = kNodeSecret,
                        .own_username = name,
                        .own_secret = kTargetSecret});
  IscsiService service(pattern, backend);
  REQUIRE(service.add_portal(kPortalRequest, {}));
  REQUIRE(service.set_mutual_secret(Secret::copy_of(kTargetSecret)));
  CHECK(outcome(service.connect(request(Authentication::kMutualChap), {})) == "OK");
}

TEST_CASE("the secret of MUTUAL_CHAP is replaced as a whole, and not by one that is refused") {
  IscsiBackendFake backend;
  IscsiService service("{iqn}", backend);
  CHECK(service.mutual_secret().empty());
  REQUIRE(service.set_mutual_secret(Secret::copy_of(kTargetSecret)));
  CHECK(service.mutual_secret().text() == kTargetSecret);
  CHECK(outcome(service.set_mutual_secret(Secret::copy_of("short"))) == "INVALID_ARGUMENT");
  CHECK(service.mutual_secret().text() == kTargetSecret);
  REQUIRE(service.set_mutual_secret(Secret::copy_of(kNodeSecret)));
  CHECK(service.mutual_secret().text() == kNodeSecret);
}

}  // namespace
}  // namespace longshore::iscsi
