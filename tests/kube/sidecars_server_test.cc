// csi-sidecars with external-attacher before a real API server, by nothing but flags: what the
// controller's description asks for is all that it needs.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "sidecars/installed_controllers.h"
#include "tests/support/agent_process.h"
#include "tests/support/build_tree.h"
#include "tests/support/csi_driver_process.h"
#include "tests/support/eventually.h"
#include "tests/support/kube_api_server.h"

namespace longshore::test {
namespace {

const std::string kAttachments = "/apis/storage.k8s.io/v1/volumeattachments";

// The description's grants, as the rules of a ClusterRole.
std::vector<KubeRule> described_rules() {
  std::vector<KubeRule> rules;
  const auto installed = sidecars::read_installed_controllers({built_modules()});
  for (const auto& grant : installed.described.at("external-attacher").kube_grants) {
    rules.push_back({grant.api_groups, grant.resources, grant.verbs});
  }
  return rules;
}

// The rest of it that the server reads: a volume with a secret, and its attachment to a node.
void make_attachment(const KubeApiServer& server) {
  const auto make = [&](const std::string& path, const std::string& object) {
    const KubeResponse made = server.request(server.admin(), "POST", path, object);
    INFO(made.body);
    REQUIRE(made.status == 201);
  };
  make("/api/v1/namespaces/default/secrets",
       R"({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"},
           "data": {"key": "aGlkZGVu"}})");
  make("/apis/storage.k8s.io/v1/csinodes",
       R"({"apiVersion": "storage.k8s.io/v1", "kind": "CSINode", "metadata": {"name": "n"},
           "spec": {"drivers": [{"name": "test.csi.example", "nodeID": "i-1",
                                 "topologyKeys": null}]}})");
  make("/api/v1/persistentvolumes",
       R"({"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "pv"},
           "spec": {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"],
                    "csi": {"driver": "test.csi.example", "volumeHandle": "handle",
                            "controllerPublishSecretRef": {"name": "s", "namespace": "default"}}}})");
  make(kAttachments,
       R"({"apiVersion": "storage.k8s.io/v1", "kind": "VolumeAttachment",
           "metadata": {"name": "va"}, "spec": {"attacher": "test.csi.example", "nodeName": "n",
                                                "source": {"persistentVolumeName": "pv"}}})");
}

TEST_CASE("csi-sidecars attaches and detaches a volume by no more than its grants") {
  KubeApiServer server;
  AgentDirectory directory;
  Driver driver(directory);
  driver.controller = {"--volumes", directory / "volumes", "--secret", "key=hidden"};
  driver.run();
  const KubeIdentity identity = server.identity("attacher", described_rules());
  AgentProcess sidecars(
      directory, {.command = {built_program("csi-sidecars"), "--module-dir", built_modules(),
                              "--controllers=external-attacher", "--csi-address=" + driver.socket,
                              "--kubeconfig=" + identity.kubeconfig,
                              "--run-dir=" + (directory / "sidecars")}});
  INFO(directory.log());
  REQUIRE(sidecars.serves());
  make_attachment(server);
  const auto attachment = [&] {
    return server.request(server.admin(), "GET", kAttachments + "/va");
  };
  CHECK(eventually(
      [&] { return attachment().body.find(R"("attached":true)") != std::string::npos; }));
  CHECK(driver.count("ControllerPublishVolume handle i-1") == 1);
  CHECK(server.request(server.admin(), "DELETE", kAttachments + "/va").status == 200);
  CHECK(eventually([&] { return attachment().status == 404; }));
  CHECK(driver.count("ControllerUnpublishVolume handle i-1") == 1);
  CHECK(sidecars.stop() == 0);
}

}  // namespace
}  // namespace longshore::test
