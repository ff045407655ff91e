// Two agents with one controller and one lease, before a real API server: killed, stopped for
// longer than the lease, and ended.
#include <catch2/catch.hpp>
#include <csignal>
#include <memory>
#include <string>

#include "tests/integration/control_requests.h"
#include "tests/support/agent_process.h"
#include "tests/support/build_tree.h"
#include "tests/support/eventually.h"
#include "tests/support/kube_api_server.h"

namespace longshore::test {
namespace {

using Catch::Matchers::Contains;

const std::string kLease = "/apis/coordination.k8s.io/v1/namespaces/default/leases/beat-leader";

class Replica {
 public:
  explicit Replica(const KubeIdentity& identity) {
    directory_.configure("[agent.kube]\nkubeconfig = \"" + identity.kubeconfig +
                         "\"\n[controllers.beat]\nlibrary = \"" + built_module("example") +
                         "\"\nisolation = \"process\"\n"
                         "may_call = [\"longshore.host.v1.Agent/WatchModules\"]\n"
                         "[controllers.beat.leader_election]\nlease = \"beat.leader\"\n"
                         "namespace = \"default\"\nlease_duration = \"6s\"\n"
                         "renew_deadline = \"4s\"\nretry_period = \"1s\"\n");
    start();
  }

  void start() {
    agent_ = std::make_unique<AgentProcess>(directory_);
    INFO(directory_.log());
    REQUIRE(agent_->serves());
  }
  AgentProcess& agent() { return *agent_; }
  bool leads() const { return comes_to("serving", ""); }
  bool waits(const std::string& reason) const { return comes_to("waiting", reason); }
  std::string log() const { return directory_.log(); }

 private:
  bool comes_to(const std::string& state, const std::string& reason) const {
    return eventually([&] {
      const admin::v1::Module beat = module_of(directory_, "beat");
      return beat.state() == state && beat.reason().find(reason) != std::string::npos;
    });
  }

  AgentDirectory directory_;
  std::unique_ptr<AgentProcess> agent_;
};

TEST_CASE("one agent of two runs the controller, whatever becomes of the other") {
  KubeApiServer server;
  const KubeIdentity identity = server.identity(
      "replica", {{{"coordination.k8s.io"}, {"leases"}, {"get", "create", "update"}}});
  Replica one(identity);
  REQUIRE(one.leads());
  Replica other(identity);
  CHECK(other.waits("another holds the lease default/beat-leader: "));

  one.agent().signal(SIGKILL);
  one.agent().wait();
  CHECK(other.leads());
  one.start();
  CHECK(one.waits("another holds the lease default/beat-leader: "));

  other.agent().signal(SIGSTOP);
  CHECK(one.leads());
  other.agent().signal(SIGCONT);
  CHECK(other.waits("another holds the lease default/beat-leader: "));
  CHECK_THAT(other.log(), Contains("the lease default/beat-leader is lost: "));

  CHECK(one.agent().stop() == 0);
  CHECK(other.leads());
  CHECK(other.agent().stop() == 0);
  const std::string lease = server.request(server.admin(), "GET", kLease).body;
  CHECK_THAT(lease, Contains(R"("holderIdentity": "",)") || Contains(R"("holderIdentity":"",)"));
  CHECK_THAT(lease, Contains(R"("leaseTransitions": 3)") || Contains(R"("leaseTransitions":3)"));
}

}  // namespace
}  // namespace longshore::test
