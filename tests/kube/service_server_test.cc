// longshore.host.v1.Kube before a real API server: by itself, and in an agent whose module has
// grants.
#include <catch2/catch.hpp>
#include <memory>
#include <string>

#include "kube/kube_service.h"
#include "longshore/echo/v1.pb.h"
#include "longshore/host/kube.pb.h"
#include "tests/integration/echo_requests.h"
#include "tests/support/agent_process.h"
#include "tests/support/eventually.h"
#include "tests/support/host_service_world.h"
#include "tests/support/kube_api_server.h"
#include "tests/support/test_client.h"

namespace longshore::test {
namespace {

using Catch::Matchers::Contains;
using host::v1::KubeEvent;

const std::string kKube = "longshore.host.v1.Kube/";
const std::string kNodes = "/api/v1/nodes";
const std::string kConfigMaps = "/api/v1/namespaces/default/configmaps";

std::string at(const std::string& path) {
  host::v1::KubeGetRequest request;
  request.set_path(path);
  return request.SerializeAsString();
}

std::string created(const std::string& path, const std::string& object) {
  host::v1::KubeCreateRequest request;
  request.set_path(path);
  request.set_object(object);
  return request.SerializeAsString();
}

std::string patched(const std::string& path, const std::string& patch,
                    host::v1::KubePatchRequest::Type type) {
  host::v1::KubePatchRequest request;
  request.set_path(path);
  request.set_patch(patch);
  request.set_type(type);
  return request.SerializeAsString();
}

std::string object_in(const std::string& bytes) {
  host::v1::KubeObject reply;
  REQUIRE(reply.ParseFromString(bytes));
  return reply.object();
}

// The service as the agent has it, for a module that may do anything with nodes.
class Service {
 public:
  explicit Service(const KubeIdentity& identity) {
    world_.configuration.agent.kube.kubeconfig = identity.kubeconfig;
    config::ModuleSettings module;
    module.name = "one";
    module.kube_grants = {{"nodes",
                           {""},
                           {"nodes", "nodes/status"},
                           {"get", "list", "watch", "create", "update", "patch", "delete"}}};
    world_.configuration.modules.push_back(module);
    world_.serve(service_);
  }
  ~Service() {
    world_.end_calls();
    service_->stop();
  }
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  std::shared_ptr<router::Recorder> ask(const std::string& method, const std::string& request) {
    return world_.ask(kKube + method, request);
  }
  // The object that a call is answered with.
  std::string object(const std::string& method, const std::string& request) {
    const auto answered = ask(method, request);
    INFO(answered->text());
    REQUIRE(answered->code() == StatusCode::kOk);
    return object_in(answered->received.get().messages.at(0));
  }
  std::shared_ptr<router::Recorder> watch(const std::string& path) {
    auto recorder = std::make_shared<router::Recorder>();
    REQUIRE(world_.call(kKube + "Watch", at(path), recorder));
    return recorder;
  }

 private:
  HostServiceWorld world_;
  const std::shared_ptr<kube::KubeService> service_ = kube::KubeService::make().value();
};

// Whether it has told of the node "tested", with this in its JSON.
bool told(const router::Recorder& recorder, KubeEvent::Type type, const std::string& part) {
  return eventually([&] {
    for (const std::string& message : recorder.received.get().messages) {
      KubeEvent event;
      REQUIRE(event.ParseFromString(message));
      if (event.type() == type && event.object().find(part) != std::string::npos &&
          event.key() == (part.empty() ? "" : "tested")) {
        return true;
      }
    }
    return false;
  });
}

void check_service(const KubeApiServer& server) {
  Service service(server.admin());
  const auto watched = service.watch(kNodes);
  CHECK(told(*watched, KubeEvent::TYPE_SYNCED, ""));
  const std::string node =
      R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"tested","labels":{"step":"made"}}})";
  const std::string made = service.object("Create", created(kNodes, node));
  CHECK_THAT(made, Contains(R"("step":"made")") && Contains(R"("uid")"));
  CHECK_THAT(made, !Contains("managedFields"));
  CHECK(told(*watched, KubeEvent::TYPE_UPSERT, R"("step":"made")"));
  CHECK(service.ask("Create", created(kNodes, node))->code() == StatusCode::kAlreadyExists);

  const std::string path = kNodes + "/tested";
  using Patch = host::v1::KubePatchRequest;
  service.object("Patch",
                 patched(path, R"({"metadata":{"labels":{"step":"patched"}}})", Patch::TYPE_MERGE));
  CHECK(told(*watched, KubeEvent::TYPE_UPSERT, R"("step":"patched")"));
  service.object(
      "Patch",
      patched(path + "/status", R"({"status":{"conditions":[{"type":"Tested","status":"True"}]}})",
              Patch::TYPE_STRATEGIC_MERGE));
  CHECK(told(*watched, KubeEvent::TYPE_UPSERT, R"("type":"Tested")"));
  CHECK_THAT(service.object("Get", at(path)), Contains(R"("type":"Tested")"));

  // It has changed since.
  const auto late = service.ask("Update", created(path, made));
  CHECK(late->code() == StatusCode::kAborted);
  CHECK_THAT(late->text(), Contains("the object has been modified"));
  CHECK(service.ask("Delete", at(path))->code() == StatusCode::kOk);
  CHECK(told(*watched, KubeEvent::TYPE_DELETE, R"("step":"patched")"));
  CHECK(service.ask("Get", at(path))->code() == StatusCode::kNotFound);
}

// By the module echo, which calls what it is told.
void check_agent(KubeApiServer& server) {
  const KubeIdentity identity = server.identity("agent", {{{""}, {"configmaps"}, {"get"}}});
  AgentDirectory directory;
  directory.configure(
      "[modules.echo.kube_grants.maps]\napi_groups = [\"\"]\nresources = "
      "[\"configmaps\"]\nverbs = [\"get\", \"create\"]\n[agent.kube]\nkubeconfig = "
      "\"" +
          identity.kubeconfig + "\"\n",
      "may_call = [\"longshore.host.v1.Kube\"]\n");
  AgentProcess agent(directory);
  INFO(directory.log());
  REQUIRE(agent.serves());
  TestClient client(directory.echo_socket());
  const auto call = [&](const std::string& method, const std::string& request) {
    return client.call("longshore.echo.v1.Echo/Forward", forward(kKube + method, request));
  };
  const std::string map = R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"tested"}})";
  REQUIRE(server.request(server.admin(), "POST", kConfigMaps, map).status == 201);
  const auto got = call("Get", at(kConfigMaps + "/tested"));
  INFO(got->text());
  REQUIRE(got->code() == StatusCode::kOk);
  echo::v1::ForwardResponse outer;
  REQUIRE(outer.ParseFromString(got->messages.at(0)));
  CHECK_THAT(object_in(outer.response()), Contains(R"("name":"tested")"));

  const auto forbidden = call("Create", created(kConfigMaps, map));
  CHECK(forbidden->code() == StatusCode::kPermissionDenied);
  CHECK_THAT(forbidden->text(),
             Contains(identity.user) && Contains("the verb create on the resource configmaps"));
  const auto not_granted = call("Delete", at(kConfigMaps + "/tested"));
  CHECK(not_granted->code() == StatusCode::kPermissionDenied);
  CHECK_THAT(not_granted->text(), Contains("no grant in modules.echo.kube_grants"));
  CHECK(agent.stop() == 0);
}

TEST_CASE("what controllers ask of the API server is done, if grants and the server allow it") {
  KubeApiServer server;
  check_service(server);
  check_agent(server);
}

}  // namespace
}  // namespace longshore::test
