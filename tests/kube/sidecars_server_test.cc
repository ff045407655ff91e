// csi-sidecars with external-attacher before a real API server, by nothing but flags: what the
// controller's description asks for is all that it needs. Two of them, and one lease.
#include <catch2/catch.hpp>
#include <csignal>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "sidecars/installed_controllers.h"
#include "tests/support/agent_process.h"
#include "tests/support/build_tree.h"
#include "tests/support/certificate_authority.h"
#include "tests/support/csi_driver_process.h"
#include "tests/support/eventually.h"
#include "tests/support/kube_api_server.h"
#include "tests/support/program_run.h"
#include "tests/support/temporary_directory.h"

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

void make(const KubeApiServer& server, const std::string& path, const std::string& object) {
  const KubeResponse made = server.request(server.admin(), "POST", path, object);
  INFO(made.body);
  REQUIRE(made.status == 201);
}

void make_node(const KubeApiServer& server) {
  make(server, "/apis/storage.k8s.io/v1/csinodes",
       R"({"apiVersion": "storage.k8s.io/v1", "kind": "CSINode", "metadata": {"name": "n"},
           "spec": {"drivers": [{"name": "test.csi.example", "nodeID": "i-1",
                                 "topologyKeys": null}]}})");
}

// A volume, and its attachment to the node, both called `name`. `more`: of the volume's source.
void make_attachment(const KubeApiServer& server, const std::string& name,
                     const std::string& more = {}) {
  make(server, "/api/v1/persistentvolumes",
       R"({"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": ")" + name +
           R"("}, "spec": {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"],
               "csi": {"driver": "test.csi.example", "volumeHandle": ")" +
           name + "\"" + more + "}}}");
  make(server, kAttachments,
       R"({"apiVersion": "storage.k8s.io/v1", "kind": "VolumeAttachment",
           "metadata": {"name": ")" +
           name + R"("}, "spec": {"attacher": "test.csi.example", "nodeName": "n",
                                  "source": {"persistentVolumeName": ")" +
           name + "\"}}}");
}

KubeResponse attachment(const KubeApiServer& server, const std::string& name) {
  return server.request(server.admin(), "GET", kAttachments + '/' + name);
}
bool is_attached(const KubeApiServer& server, const std::string& name) {
  return eventually([&] {
    return attachment(server, name).body.find(R"("attached":true)") != std::string::npos;
  });
}

// One of several: a driver and csi-sidecars, as the containers of a Pod.
class Replica {
 public:
  explicit Replica(const KubeIdentity& identity) : identity_(identity) {
    driver_.controller = {"--volumes", directory_ / "volumes", "--capabilities", "2"};
    driver_.run();
    start();
  }

  void start() {
    sidecars_.emplace(
        directory_,
        AgentProcess::Options{
            .command = {
                built_program("csi-sidecars"), "--module-dir", built_modules(),
                "--controllers=external-attacher", "--csi-address=" + driver_.socket,
                "--kubeconfig=" + identity_.kubeconfig, "--run-dir=" + (directory_ / "sidecars"),
                "--leader-election", "--leader-election-namespace=default",
                "--leader-election-lease-duration=6s", "--leader-election-renew-deadline=4s",
                "--leader-election-retry-period=1s", "--leader-election-labels=app:test"}});
    INFO(directory_.log());
    REQUIRE(sidecars_->serves());
  }
  void kill() {
    sidecars_->signal(SIGKILL);
    sidecars_->wait();
  }
  int stop() { return sidecars_->stop(); }
  Driver& driver() { return driver_; }
  size_t attached(const std::string& name) const {
    return driver_.count("ControllerPublishVolume " + name + " i-1");
  }
  std::string log() const { return directory_.log(); }

 private:
  AgentDirectory directory_;
  Driver driver_{directory_};
  const KubeIdentity identity_;
  std::optional<AgentProcess> sidecars_;
};

void make_secret(const KubeApiServer& server) {
  make(server, "/api/v1/namespaces/default/secrets",
       R"({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"},
           "data": {"key": "aGlkZGVu"}})");
}

TEST_CASE("csi-sidecars attaches and detaches a volume by no more than its grants") {
  KubeApiServer& server = shared_kube_api_server();
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
  make_secret(server);
  make_node(server);
  make_attachment(server, "va",
                  R"(, "controllerPublishSecretRef": {"name": "s", "namespace": "default"})");
  CHECK(is_attached(server, "va"));
  CHECK(driver.count("ControllerPublishVolume va i-1") == 1);
  CHECK(server.request(server.admin(), "DELETE", kAttachments + "/va").status == 200);
  CHECK(eventually([&] { return attachment(server, "va").status == 404; }));
  CHECK(driver.count("ControllerUnpublishVolume va i-1") == 1);
  CHECK(sidecars.stop() == 0);
}

TEST_CASE("of two csi-sidecars one attaches, whatever becomes of the other and of its driver",
          "[thorough]") {
  KubeApiServer server;
  auto rules = described_rules();
  rules.push_back({{"coordination.k8s.io"}, {"leases"}, {"get", "create", "update"}});
  const KubeIdentity identity = server.identity("attacher", rules);
  make_node(server);
  Replica one(identity);
  make_attachment(server, "first");
  CHECK(is_attached(server, "first"));
  Replica other(identity);
  make_attachment(server, "second");
  CHECK(is_attached(server, "second"));
  CHECK(one.attached("second") == 1);

  one.kill();
  make_attachment(server, "third");
  CHECK(is_attached(server, "third"));
  CHECK(other.attached("third") == 1);

  one.start();
  other.driver().kill();
  make_attachment(server, "fourth");
  INFO(other.log());
  CHECK(is_attached(server, "fourth"));
  CHECK(one.attached("fourth") == 1);

  other.driver().run();
  CHECK(one.stop() == 0);
  make_attachment(server, "fifth");
  CHECK(is_attached(server, "fifth"));
  CHECK(other.attached("fifth") == 1);
  CHECK(other.stop() == 0);
  for (const std::string name : {"first", "second", "third", "fourth", "fifth"}) {
    INFO(name);
    CHECK(one.attached(name) + other.attached(name) == 1);
  }
  const std::string lease = server
                                .request(server.admin(), "GET",
                                         "/apis/coordination.k8s.io/v1/namespaces/default/leases/"
                                         "external-attacher-leader-test-csi-example")
                                .body;
  CHECK_THAT(lease, Catch::Contains(R"("labels":{"app":"test"})"));
  CHECK_THAT(lease, Catch::Contains(R"("holderIdentity":"")"));
}

ProgramRun check_start(const Driver& driver, const std::string& run_dir,
                       const std::string& kubeconfig) {
  return run_program({built_program("csi-sidecars"), "--module-dir", built_modules(),
                      "--controllers=external-attacher", "--csi-address=" + driver.socket,
                      "--kubeconfig=" + kubeconfig, "--run-dir=" + run_dir, "--leader-election",
                      "--leader-election-namespace=default", "--check"});
}

TEST_CASE("--check tells what of the first day is wrong, and changes nothing") {
  using Catch::Contains;
  KubeApiServer& server = shared_kube_api_server();
  AgentDirectory directory;
  Driver driver(directory);
  driver.run();
  const auto check = [&](const std::string& kubeconfig) {
    return check_start(driver, directory / "sidecars", kubeconfig);
  };
  std::vector<KubeRule> rules = described_rules();
  rules.push_back({{"coordination.k8s.io"}, {"leases"}, {"get", "create", "update"}});
  const KubeIdentity good = server.identity("good", rules);
  ProgramRun run;
  CHECK(eventually([&] {  // the driver may be on its way
    run = check(good.kubeconfig);
    return run.exit_code == 0;
  }));
  CHECK_THAT(
      run.output,
      Contains("\nok: the API server answers as version v1.") &&
          Contains("\nok: the clock of this node agrees with the API server's\n") &&
          Contains("\nok: external-attacher is allowed the verb get on the resource secrets "
                   "of the API group \"\"\n") &&
          Contains("\nok: the lease default/external-attacher-leader-test-csi-example can be "
                   "made\n") &&
          !Contains("wrong: ") && !Contains("warning: ") && !Contains("not checked: "));
  CHECK(server
            .request(server.admin(), "GET",
                     "/apis/coordination.k8s.io/v1/namespaces/default/leases/"
                     "external-attacher-leader-test-csi-example")
            .status == 404);

  // The role as it is shipped may not ask for secrets, and this one lacks a verb, too.
  for (KubeRule& rule : rules) {
    if (rule.resources.front() == "csinodes") rule.verbs = {"list"};
    if (rule.resources.front() == "secrets") rule.verbs = {"list"};
  }
  run = check(server.identity("lacking", rules).kubeconfig);
  CHECK(run.exit_code == 1);
  const std::string wrong =
      "\nwrong: external-attacher is not allowed the verb watch on the resource csinodes of the "
      "API "
      "group \"storage.k8s.io\"";
  CHECK_THAT(run.output, Contains(wrong));
  CHECK_THAT(run.output,
             Contains("; the role is in deploy/kubernetes/rbac/external-attacher.yaml\n"));
  CHECK_THAT(run.output, Contains("\nwarning: external-attacher is not allowed the verb get on the "
                                  "resource secrets"));
  CHECK(run.output.find("\nwrong: ") == run.output.rfind("\nwrong: "));

  KubeIdentity stranger = good;
  stranger.token_file = directory / "token";
  write_file(stranger.token_file, "of-nobody");
  write_file(directory / "stranger",
             kubeconfig_text(server.address(), server.ca_file(), stranger, {}));
  run = check(directory / "stranger");
  CHECK(run.exit_code == 1);
  CHECK_THAT(run.output,
             Contains("\nwrong: cannot get \"/version\": Unauthorized; the token in \"" +
                      stranger.token_file + "\" has expired, or is of another cluster\n") &&
                 !Contains(" allowed "));

  const TemporaryDirectory elsewhere;
  const CertificateAuthority other(elsewhere.path().string());
  write_file(directory / "other",
             kubeconfig_text(server.address(), other.certificate_file(), good, {}));
  run = check(directory / "other");
  CHECK(run.exit_code == 1);
  CHECK_THAT(run.output,
             Contains("\nwrong: cannot reach the API server \"" + server.address()) &&
                 Contains("is not among the authorities in \"" + other.certificate_file()));
}

}  // namespace
}  // namespace longshore::test
