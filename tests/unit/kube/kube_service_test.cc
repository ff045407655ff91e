// Requests of longshore.host.v1.Kube: who may make which, what the server is asked for, and what
// its answers become. Watches: kube_service_watch_test.cc.
#include "kube/kube_service.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/unit/kube/kube_service_world.h"

namespace longshore::kube {
namespace {

using namespace std::chrono_literals;
using Catch::Matchers::Contains;
using test::KubeWorld;

const std::string kNode = "/api/v1/nodes/a";
const std::string kStored =
    R"({"kind":"Node","metadata":{"name":"a","resourceVersion":"7","managedFields":[{}]}})";
const std::string kKept = R"({"kind":"Node","metadata":{"name":"a","resourceVersion":"7"}})";

std::string status(const std::string& reason) {
  return R"({"kind":"Status","reason":")" + reason + R"(","message":"the server's words"})";
}

std::string object_of(const std::shared_ptr<router::Recorder>& recorder) {
  REQUIRE(recorder->code() == StatusCode::kOk);
  host::v1::KubeObject reply;
  REQUIRE(reply.ParseFromString(recorder->received.get().messages.at(0)));
  return reply.object();
}

}  // namespace

TEST_CASE_METHOD(KubeWorld, "Without a grant nothing is asked, and the refusal names it") {
  for (const auto& [name, verb, path] :
       {std::tuple<std::string, std::string, std::string>("Get", "get", kNode),
        {"List", "list", "/api/v1/nodes"},
        {"Watch", "list", "/api/v1/nodes"},
        {"Create", "create", "/api/v1/nodes"},
        {"Update", "update", kNode},
        {"Patch", "patch", kNode},
        {"Delete", "delete", kNode}}) {
    const auto refused = world.ask(method(name), at(path), "two");
    CHECK(refused->code() == StatusCode::kPermissionDenied);
    CHECK(refused->text() ==
          "cannot " + verb + " \"" + path +
              "\": no grant in controllers.two.kube_grants allows the verb " + verb +
              " on the resource nodes of the API group \"\"; write "
              "[controllers.two.kube_grants.<name>] with api_groups = [\"\"], resources = "
              "[\"nodes\"] and verbs = [\"" +
              verb + "\"]");
  }
  CHECK_THAT(world.ask(method("Get"), at(kNode), "gone")->text(),
             Contains("the configuration does not name who asks"));
  grant({"apps"}, {"replicasets"}, {"list"});
  const std::string replica_sets = "/apis/apps/v1/replicasets";
  CHECK_THAT(world.ask(method("Watch"), at(replica_sets))->text(), Contains("the verb watch"));
  for (const std::string& path :
       std::vector<std::string>{replica_sets + "/a/status", "/apis/batch/v1/nodes/a",
                                "/api/v1/namespaces/nodes", replica_sets + "/a"}) {
    CHECK(world.ask(method("Get"), at(path))->code() == StatusCode::kPermissionDenied);
  }
  CHECK_FALSE(io.load());
}

TEST_CASE_METHOD(KubeWorld, "Secrets are got by name and never listed, whatever is granted") {
  grant({""}, {"secrets"}, {"get", "list", "watch"});
  for (const std::string name : {"List", "Watch"}) {
    const auto refused = world.ask(method(name), at("/api/v1/namespaces/default/secrets"));
    CHECK(refused->code() == StatusCode::kPermissionDenied);
    CHECK_THAT(refused->text(), Contains("secrets are neither listed nor watched"));
  }
  const std::string secret = R"({"kind":"Secret","metadata":{"name":"s"},"data":{"p":"aHVzaA=="}})";
  CHECK(object_of(answered("Get", at("/api/v1/namespaces/default/secrets/s"), 200, secret)) ==
        secret);
  for (const std::string& line : world.lines.get()) CHECK_THAT(line, !Contains("aHVzaA"));
}

TEST_CASE_METHOD(KubeWorld, "A path of another form is refused") {
  for (const std::string path :
       {"", "nodes", "/version", "/api/v1", "/api/v1/nodes/", "/api/v1//nodes", "/api/v1/nodes/a/",
        "/api/v1/nodes/a/status/b", "/api/v1/nodes/..", "/api/v1/nodes/a%2fb", "/api/v1/nodes/a?b",
        "/api/v1/nodes/a#", "/api/v1/nodes/a b", "/api/v1/nodes/\xc3\xa4", "/api/../nodes/a"}) {
    INFO(path);
    const auto refused = world.ask(method("Get"), at(path));
    CHECK(refused->code() == StatusCode::kInvalidArgument);
    CHECK_THAT(refused->text(), Contains("it is not the path of a resource; write it as"));
  }
  for (const auto& [name, path, cause] :
       {std::tuple<std::string, std::string, std::string>("Get", "/api/v1/nodes", "no object"),
        {"Delete", "/api/v1/nodes", "it names no object"},
        {"Delete", kNode + "/status", "the method does not take the subresource status"},
        {"Get", kNode + "/proxy", "the method does not take the subresource proxy"},
        {"List", kNode, "it names an object"},
        {"Watch", kNode, "it names an object"},
        {"Create", kNode, "it names an object"},
        {"Patch", kNode, "its type is none of"}}) {
    const auto refused = world.ask(method(name), at(path));
    CHECK(refused->code() == StatusCode::kInvalidArgument);
    CHECK_THAT(refused->text(), Contains(cause));
  }
  CHECK(world.ask(method("Get"), "\xff\xff")->code() == StatusCode::kInvalidArgument);
  CHECK_FALSE(io.load());
}

TEST_CASE_METHOD(KubeWorld,
                 "Each method is one request, and is answered with what the server has") {
  const auto asked = [&](const std::string& name, const std::string& request, Method http,
                         const std::string& path, const std::string& body,
                         const std::string& type = "application/json") {
    const auto reply = std::make_shared<router::Recorder>();
    world.call(method(name), request, reply);
    const auto call = made();
    CHECK(call->request.method == http);
    CHECK(call->request.path == path);
    CHECK(call->request.body == body);
    CHECK(call->request.content_type == type);
    CHECK(call->request.query.empty());
    CHECK(call->request.deadline < std::chrono::steady_clock::now() + 61s);
    answer(call, 200, kStored);
    REQUIRE(reply->await());
    return reply;
  };
  CHECK(object_of(asked("Get", at(kNode), Method::kGet, kNode, "")) == kKept);
  host::v1::KubeCreateRequest create;
  create.set_path("/api/v1/nodes");
  create.set_object("{1}");
  CHECK(object_of(asked("Create", create.SerializeAsString(), Method::kPost, create.path(),
                        "{1}")) == kKept);
  host::v1::KubeUpdateRequest update;
  update.set_path(kNode + "/status");
  update.set_object("{2}");
  CHECK(object_of(asked("Update", update.SerializeAsString(), Method::kPut, update.path(),
                        "{2}")) == kKept);
  host::v1::KubePatchRequest patch;
  patch.set_path(kNode);
  patch.set_patch("{3}");
  patch.set_type(host::v1::KubePatchRequest::TYPE_MERGE);
  asked("Patch", patch.SerializeAsString(), Method::kPatch, kNode, "{3}",
        "application/merge-patch+json");
  patch.set_type(host::v1::KubePatchRequest::TYPE_STRATEGIC_MERGE);
  CHECK(object_of(asked("Patch", patch.SerializeAsString(), Method::kPatch, kNode, "{3}",
                        "application/strategic-merge-patch+json")) == kKept);
  patch.set_type(host::v1::KubePatchRequest::TYPE_JSON);
  asked("Patch", patch.SerializeAsString(), Method::kPatch, kNode, "{3}",
        "application/json-patch+json");
  CHECK(asked("Delete", at(kNode), Method::kDelete, kNode, "")->code() == StatusCode::kOk);
}

TEST_CASE_METHOD(KubeWorld, "What its client counts is in the report") {
  observe::StatusReport report;
  service->add_to(report);
  CHECK(report.kube_requests.requests.empty());
  answered("Get", at(kNode), 200, kStored);
  REQUIRE(metrics);
  metrics->handled("api:6443", "GET", 200);
  service->add_to(report);
  REQUIRE(report.kube_requests.requests.size() == 1);
  CHECK(report.kube_requests.requests[0].host == "api:6443");
}

TEST_CASE_METHOD(KubeWorld, "A list comes in pages, and what is none is told") {
  host::v1::KubeListRequest list;
  list.set_path("/api/v1/namespaces/default/configmaps");
  list.set_label_selector("app=a");
  list.set_field_selector("metadata.name=n");
  list.set_page_token("t");
  const auto recorder = std::make_shared<router::Recorder>();
  world.call(method("List"), list.SerializeAsString(), recorder);
  const auto call = made();
  CHECK(target_of(call->request) == list.path() +
                                        "?limit=500&labelSelector=app%3Da&fieldSelector="
                                        "metadata.name%3Dn&continue=t");
  answer(
      call, 200,
      R"({"kind":"NodeList","apiVersion":"v1","metadata":{"resourceVersion":"9","continue":"u"},)"
      R"("items":[{"metadata":{"name":"a"}},{"metadata":{"name":"b"}}]})");
  REQUIRE(recorder->await());
  host::v1::KubeObjectPage page;
  REQUIRE(page.ParseFromString(recorder->received.get().messages.at(0)));
  CHECK(page.resource_version() == "9");
  CHECK(page.next_page_token() == "u");
  REQUIRE(page.objects_size() == 2);
  CHECK(page.objects(1) == R"({"kind":"Node","apiVersion":"v1","metadata":{"name":"b"}})");

  list.set_limit(1);
  const auto bad = answered("List", list.SerializeAsString(), 200, kStored);
  CHECK(bad->code() == StatusCode::kDataLoss);
  CHECK_THAT(bad->text(), Contains("cannot list") && Contains("is no list"));
}

TEST_CASE_METHOD(KubeWorld, "What the server refuses has its code, and the server's own words") {
  for (const auto& [http, reason, code] :
       {std::tuple<int, std::string, StatusCode>(401, "Unauthorized", StatusCode::kUnauthenticated),
        {403, "Forbidden", StatusCode::kPermissionDenied},
        {404, "NotFound", StatusCode::kNotFound},
        {405, "MethodNotAllowed", StatusCode::kFailedPrecondition},
        {409, "AlreadyExists", StatusCode::kAlreadyExists},
        {409, "Conflict", StatusCode::kAborted},
        {410, "Expired", StatusCode::kOutOfRange},
        {422, "Invalid", StatusCode::kInvalidArgument},
        {429, "TooManyRequests", StatusCode::kResourceExhausted},
        {500, "InternalError", StatusCode::kInternal},
        {503, "ServiceUnavailable", StatusCode::kUnavailable},
        {504, "Timeout", StatusCode::kDeadlineExceeded}}) {
    const auto refused = answered("Update", at(kNode + "/status"), http, status(reason));
    CHECK(refused->code() == code);
    CHECK_THAT(refused->text(), Contains("cannot update \"/api/v1/nodes/a/status\"") &&
                                    Contains("the server's words"));
    if (http == 403)
      CHECK_THAT(refused->text(), Contains("the verb update on the resource nodes/"));
  }
}

TEST_CASE_METHOD(KubeWorld, "What the server forbids names the file of the controller's role") {
  service->modules_changed({{.name = "one",
                             .is_controller = true,
                             .state = {},
                             .reason = {},
                             .role_file = "deploy/rbac/one.yaml"}});
  const std::string role = "; the controller's role is in deploy/rbac/one.yaml";
  const auto forbidden = answered("Get", at(kNode), 403, status("Forbidden"));
  CHECK_THAT(forbidden->text(), Contains("cannot get \"" + kNode + "\": the server's words") &&
                                    Contains("the verb get on the resource nodes") &&
                                    Catch::EndsWith(role));
  CHECK_THAT(answered("Get", at(kNode), 404, status("NotFound"))->text(), !Contains(role));
  service->modules_changed({});
  CHECK_THAT(answered("Get", at(kNode), 403, status("Forbidden"))->text(), !Contains("role is in"));
}

TEST_CASE_METHOD(KubeWorld, "Where the server was not asked, no code speaks of the object") {
  for (const auto& [code, told] :
       {std::pair(StatusCode::kNotFound, StatusCode::kFailedPrecondition),
        {StatusCode::kPermissionDenied, StatusCode::kFailedPrecondition},
        {StatusCode::kUnavailable, StatusCode::kUnavailable},
        {StatusCode::kDeadlineExceeded, StatusCode::kDeadlineExceeded}}) {
    const auto recorder = std::make_shared<router::Recorder>();
    world.call(method("Get"), at(kNode), recorder);
    const auto call = made();
    on_thread([&, sent = code] { access.end(call, ApiError(Error(sent, "read the token"))); });
    REQUIRE(recorder->await());
    CHECK(recorder->code() == told);
  }
}

TEST_CASE_METHOD(KubeWorld, "An agent that knows no server says so, and looks again") {
  no_configuration = Error(StatusCode::kNotFound, "read the kubeconfig").because("it is not there");
  for (const std::string name : {"Get", "Delete"}) {
    const auto refused = world.ask(method(name), at(kNode));
    CHECK(refused->code() == StatusCode::kFailedPrecondition);
    CHECK(refused->text() ==
          "cannot ask the API server: cannot read the kubeconfig: it is not there; set "
          "agent.kube.kubeconfig, by --kubeconfig in csi-sidecars, or run it in a Pod");
  }
  no_configuration.reset();
  CHECK(object_of(answered("Get", at(kNode), 200, kStored)) == kKept);
}

TEST_CASE_METHOD(KubeWorld,
                 "A controller has no more requests under way than are left for others") {
  world.configuration.modules[1].kube_grants = world.configuration.modules[0].kube_grants;
  std::vector<std::shared_ptr<router::Recorder>> waiting;
  const auto ask = [&](const std::string& controller) {
    world.call(method("Get"), at(kNode), waiting.emplace_back(new router::Recorder), controller);
  };
  for (size_t i = 0; i < KubeService::kMaxCalls / 2; ++i) ask("one");
  const auto refused = world.ask(method("Get"), at(kNode));
  CHECK(refused->code() == StatusCode::kResourceExhausted);
  CHECK_THAT(refused->text(), Contains("128 requests under way") && Contains("128 are left"));
  for (size_t i = 0; i < KubeService::kMaxCalls / 4; ++i) ask("two");
  CHECK(world.ask(method("Get"), at(kNode), "two")->code() == StatusCode::kResourceExhausted);
  // Of two's.
  answer(made(KubeService::kMaxCalls / 4 * 3), 200, kStored);
  CHECK(test::eventually([&] {
    return world.ask(method("Get"), at(kNode), "two", 50ms)->code() ==
           StatusCode::kDeadlineExceeded;
  }));
  CHECK(world.ask(method("Get"), at(kNode))->code() == StatusCode::kResourceExhausted);
}

TEST_CASE_METHOD(KubeWorld, "Requests and watches have their own bounds") {
  const std::string nodes = at("/api/v1/nodes");
  for (size_t i = 0; i < KubeService::kMaxCalls / 2; ++i) {
    world.call(method("Watch"), nodes, std::make_shared<router::Recorder>());
  }
  CHECK(world.ask(method("Watch"), nodes)->code() == StatusCode::kResourceExhausted);
  made();  // the list for all of them
  world.call(method("Get"), at(kNode), std::make_shared<router::Recorder>());
  CHECK(made(2)->request.path == kNode);
}

TEST_CASE_METHOD(KubeWorld, "The end of the service ends all calls") {
  const auto get = std::make_shared<router::Recorder>();
  const auto watch = std::make_shared<router::Recorder>();
  world.call(method("Get"), at(kNode), get);
  world.call(method("Watch"), at("/api/v1/nodes"), watch);
  made(2);
  service->stop();
  for (const auto& each : {get, watch}) {
    REQUIRE(each->await());
    CHECK(each->code() == StatusCode::kUnavailable);
  }
  CHECK(world.ask(method("Get"), at(kNode))->code() == StatusCode::kUnavailable);
}

}  // namespace longshore::kube
