// The iscsi group as its clients use it. "csi-proxy 15" is the case with that number in csi-proxy's
// integration tests.
#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "disk/v1.pb.h"
#include "iscsi/v1alpha2.pb.h"
#include "tests/guest/guest_agent.h"
#include "tests/guest/lio_target.h"

using namespace longshore;
using namespace longshore::test;

namespace {

const std::string kService = "v1alpha2.Iscsi/";

// A node with one target in its reach.
class Node {
 public:
  // `settings`: lines of the module's table.
  explicit Node(const iscsi::TargetSetup& setup = {}, const std::string& settings = {})
      : target_(setup), agent_({.settings = settings}) {}
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;
  // open-iscsi's database outlives the case.
  ~Node() { call("RemoveTargetPortal", v1alpha2::RemoveTargetPortalRequest()); }

  const std::string& target() const { return target_.name(); }
  GuestAgent& agent() { return agent_; }

  template <typename Request>
  std::shared_ptr<Answer> call(const std::string& method, Request request) {
    request.mutable_target_portal()->set_target_address(LioTarget::kAddress);
    request.mutable_target_portal()->set_target_port(port_);
    return agent_.call("iscsi", kService + method, request);
  }
  void must(const std::shared_ptr<Answer>& answer) {
    INFO(answer->text());
    REQUIRE(answer->code() == StatusCode::kOk);
  }

  void use_port(uint32_t port) { port_ = port; }
  void add() { must(call("AddTargetPortal", v1alpha2::AddTargetPortalRequest())); }
  std::string discovered() {
    const auto answer = call("DiscoverTargetPortal", v1alpha2::DiscoverTargetPortalRequest());
    must(answer);
    v1alpha2::DiscoverTargetPortalResponse response;
    REQUIRE(response.ParseFromString(answer->messages.at(0)));
    return response.iqns_size() == 1 ? response.iqns(0) : "";
  }
  std::shared_ptr<Answer> connect(const v1alpha2::ConnectTargetRequest& how = {}) {
    v1alpha2::ConnectTargetRequest request = how;
    request.set_iqn(target());
    return call("ConnectTarget", request);
  }
  void disconnect() {
    v1alpha2::DisconnectTargetRequest request;
    request.set_iqn(target());
    must(call("DisconnectTarget", request));
  }

 private:
  LioTarget target_;
  GuestAgent agent_;
  uint32_t port_ = LioTarget::kPort;
};

// The module in a process of its own that may write at these places alone (Landlock), as far as
// they are there.
std::string writing_only_at(const std::vector<std::string>& places) {
  std::string list;
  for (const std::string& place : places) {
    if (std::filesystem::exists(place)) list += (list.empty() ? "\"" : ", \"") + place + "\"";
  }
  return "isolation = \"process\"\nprocess.writable_paths = [" + list + "]\n";
}

v1alpha2::ConnectTargetRequest with_chap(v1alpha2::AuthenticationType type,
                                         const std::string& secret) {
  v1alpha2::ConnectTargetRequest request;
  request.set_auth_type(type);
  request.set_chap_username("node");
  request.set_chap_secret(secret);
  return request;
}

}  // namespace

TEST_CASE("csi-proxy 15: a portal is in the list while it is known; port 0 is 3260") {
  Node node;
  for (const uint32_t port : {uint32_t{LioTarget::kPort}, uint32_t{0}}) {
    CAPTURE(port);
    node.use_port(port);
    const auto list = [&] {
      return node.agent().get<v1alpha2::ListTargetPortalsResponse>(
          "iscsi", kService + "ListTargetPortals", v1alpha2::ListTargetPortalsRequest());
    };
    CHECK(list().target_portals_size() == 0);
    node.add();
    const auto portals = list();
    REQUIRE(portals.target_portals_size() == 1);
    CHECK(portals.target_portals(0).target_address() == LioTarget::kAddress);
    CHECK(portals.target_portals(0).target_port() == LioTarget::kPort);
    node.must(node.call("RemoveTargetPortal", v1alpha2::RemoveTargetPortalRequest()));
    CHECK(list().target_portals_size() == 0);
  }
}

TEST_CASE("csi-proxy 16: a target that asks for nothing is connected and disconnected") {
  Node node;
  node.add();
  CHECK(node.discovered() == node.target());
  node.must(node.connect());
  node.disconnect();
}

TEST_CASE("csi-proxy 17: a target that asks for CHAP") {
  Node node({.username = "node", .secret = "secret-of-12+"});
  node.add();
  CHECK(node.discovered() == node.target());
  const auto wrong = node.connect(with_chap(v1alpha2::ONE_WAY_CHAP, "wrong-of-12++"));
  CAPTURE(wrong->text());
  CHECK(wrong->code() == StatusCode::kUnauthenticated);
  node.must(node.connect(with_chap(v1alpha2::ONE_WAY_CHAP, "secret-of-12+")));
  node.disconnect();
  CHECK(node.agent().log().find("secret-of-12+") == std::string::npos);
}

TEST_CASE("csi-proxy 18: a target that has to prove itself, too") {
  Node node({.username = "node", .secret = "secret-of-12+", .own_secret = "target-of-12+"});
  node.add();
  v1alpha2::SetMutualChapSecretRequest request;
  request.set_mutualchapsecret("another-of-12");
  node.must(node.agent().call("iscsi", kService + "SetMutualChapSecret", request));
  CHECK(node.connect(with_chap(v1alpha2::MUTUAL_CHAP, "secret-of-12+"))->code() != StatusCode::kOk);
  request.set_mutualchapsecret("target-of-12+");
  node.must(node.agent().call("iscsi", kService + "SetMutualChapSecret", request));
  node.must(node.connect(with_chap(v1alpha2::MUTUAL_CHAP, "secret-of-12+")));
  node.disconnect();
}

TEST_CASE("csi-proxy 19: from a portal to a disk with a partition") {
  Node node;
  node.add();
  CHECK(node.discovered() == node.target());
  node.must(node.connect());
  v1alpha2::GetTargetDisksRequest whose;
  whose.set_iqn(node.target());
  const auto answer = node.call("GetTargetDisks", whose);
  node.must(answer);
  v1alpha2::GetTargetDisksResponse disks;
  REQUIRE(disks.ParseFromString(answer->messages.at(0)));
  REQUIRE(disks.diskids_size() == 1);

  const auto disk = static_cast<uint32_t>(std::stoul(disks.diskids(0)));
  v1::SetDiskStateRequest state;
  state.set_disk_number(disk);
  state.set_is_online(true);
  node.must(node.agent().call("disk", "v1.Disk/SetDiskState", state));
  v1::PartitionDiskRequest partition;
  partition.set_disk_number(disk);
  node.must(node.agent().call("disk", "v1.Disk/PartitionDisk", partition));
  state.set_is_online(false);
  node.must(node.agent().call("disk", "v1.Disk/SetDiskState", state));
  state.set_is_online(true);
  node.must(node.agent().call("disk", "v1.Disk/SetDiskState", state));
  node.disconnect();
}

TEST_CASE("iscsiadm works where the module may write to open-iscsi's folders and sysfs alone") {
  std::filesystem::create_directories("/run/lock/iscsi");
  const std::vector<std::string> places = {"/sys", "/etc/iscsi", "/var/lib/iscsi",
                                           "/run/lock/iscsi"};
  Node node({}, writing_only_at(places));
  CHECK(node.agent().log().find("writable_paths=landlock") != std::string::npos);
  node.add();
  CHECK(node.discovered() == node.target());
  node.must(node.connect());
  v1alpha2::GetTargetDisksRequest whose;
  whose.set_iqn(node.target());
  node.must(node.call("GetTargetDisks", whose));
  node.disconnect();
}

TEST_CASE("iscsiadm changes no record where the module may not write to it") {
  std::filesystem::create_directories("/run/lock/iscsi");
  Node node({}, writing_only_at({"/sys", "/run/lock/iscsi"}));
  const auto added = node.call("AddTargetPortal", v1alpha2::AddTargetPortalRequest());
  CAPTURE(added->text());
  CHECK(added->code() != StatusCode::kOk);
  CHECK(node.connect()->code() != StatusCode::kOk);
}
