// The bytes of every message of the iscsi group, from csi-proxy's tables of fields.
#include <catch2/catch.hpp>

#include "iscsi/v1alpha1.pb.h"
#include "iscsi/v1alpha2.pb.h"
#include "tests/support/wire_writer.h"

namespace longshore::iscsi {
namespace {

using test::WireWriter;

const std::string kPortalBytes = WireWriter().text(1, "192.0.2.1").number(2, 3260);
constexpr const char* kTargetIqn = "iqn.2001-04.org.example:disks";

template <typename Message>
void check_round(const Message& message, const std::string& bytes) {
  CHECK(message.SerializeAsString() == bytes);
  Message parsed;
  REQUIRE(parsed.ParseFromString(bytes));
  CHECK(parsed.SerializeAsString() == bytes);
}

template <typename Message>
void check_empty() {
  check_round(Message(), "");
}

template <typename Portal>
void fill(Portal& portal) {
  portal.set_target_address("192.0.2.1");
  portal.set_target_port(3260);
}

// A request with a portal in field 1 and nothing else.
template <typename Request>
void check_portal_only() {
  Request request;
  CHECK_FALSE(request.has_target_portal());
  fill(*request.mutable_target_portal());
  check_round(request, WireWriter().text(1, kPortalBytes));
}

// One with a target's name in field 2 as well.
template <typename Request>
void check_portal_and_name() {
  Request request;
  fill(*request.mutable_target_portal());
  request.set_iqn(kTargetIqn);
  check_round(request, WireWriter().text(1, kPortalBytes).text(2, kTargetIqn));
}

template <typename Request>
void check_connect() {
  Request request;
  fill(*request.mutable_target_portal());
  request.set_iqn(kTargetIqn);
  request.set_chap_username("node");
  request.set_chap_secret("123456789012");
  for (const uint64_t type : {1U, 2U, 7U}) {  // also one that is not defined survives
    Request typed;
    REQUIRE(typed.ParseFromString(WireWriter().number(3, type)));
    request.set_auth_type(typed.auth_type());
    check_round(request, WireWriter()
                             .text(1, kPortalBytes)
                             .text(2, kTargetIqn)
                             .number(3, type)
                             .text(4, "node")
                             .text(5, "123456789012"));
  }
}

TEST_CASE("v1alpha1 has csi-proxy's bytes") {
  using namespace ::v1alpha1;
  check_empty<AddTargetPortalResponse>();
  check_empty<RemoveTargetPortalResponse>();
  check_empty<ListTargetPortalsRequest>();
  check_empty<ConnectTargetResponse>();
  check_empty<DisconnectTargetResponse>();
  check_portal_only<AddTargetPortalRequest>();
  check_portal_only<DiscoverTargetPortalRequest>();
  check_portal_only<RemoveTargetPortalRequest>();
  check_portal_and_name<DisconnectTargetRequest>();
  check_portal_and_name<GetTargetDisksRequest>();
  check_connect<ConnectTargetRequest>();
  DiscoverTargetPortalResponse discovered;
  discovered.add_iqns("a");
  discovered.add_iqns("b");
  check_round(discovered, WireWriter().text(1, "a").text(1, "b"));
  ListTargetPortalsResponse listed;
  fill(*listed.add_target_portals());
  check_round(listed, WireWriter().text(1, kPortalBytes));
  GetTargetDisksResponse disks;
  disks.add_diskids("12");
  check_round(disks, WireWriter().text(1, "12"));
}

TEST_CASE("v1alpha2 has csi-proxy's bytes") {
  using namespace ::v1alpha2;
  check_empty<AddTargetPortalResponse>();
  check_empty<RemoveTargetPortalResponse>();
  check_empty<ListTargetPortalsRequest>();
  check_empty<ConnectTargetResponse>();
  check_empty<DisconnectTargetResponse>();
  check_empty<SetMutualChapSecretResponse>();
  check_portal_only<AddTargetPortalRequest>();
  check_portal_only<DiscoverTargetPortalRequest>();
  check_portal_only<RemoveTargetPortalRequest>();
  check_portal_and_name<DisconnectTargetRequest>();
  check_portal_and_name<GetTargetDisksRequest>();
  check_connect<ConnectTargetRequest>();
  DiscoverTargetPortalResponse discovered;
  discovered.add_iqns("a");
  check_round(discovered, WireWriter().text(1, "a"));
  ListTargetPortalsResponse listed;
  fill(*listed.add_target_portals());
  check_round(listed, WireWriter().text(1, kPortalBytes));
  GetTargetDisksResponse disks;
  disks.add_diskids("12");
  check_round(disks, WireWriter().text(1, "12"));
  SetMutualChapSecretRequest secret;
  secret.set_mutualchapsecret("123456789012");
  check_round(secret, WireWriter().text(1, "123456789012"));
}

TEST_CASE("the types of authentication have csi-proxy's numbers") {
  CHECK(static_cast<int>(::v1alpha2::NONE) == 0);
  CHECK(static_cast<int>(::v1alpha2::ONE_WAY_CHAP) == 1);
  CHECK(static_cast<int>(::v1alpha2::MUTUAL_CHAP) == 2);
}

}  // namespace
}  // namespace longshore::iscsi
