// What --check tells of an API server, which is made up here.
#include "sidecars/api_server_check.h"

#include <catch2/catch.hpp>
#include <functional>
#include <sstream>
#include <string>

#include "kube/io_loop.h"
#include "tests/support/temporary_directory.h"
#include "tests/unit/kube/scripted_server.h"

namespace longshore::sidecars {
namespace {

using Catch::Matchers::Contains;
using test::ScriptedServer;
using test::ServerSide;

const std::string kAllowed = R"({"status":{"allowed":true,"reason":"by a ClusterRole"}})";
const std::string kDenied = R"({"status":{"allowed":false}})";
const std::string kReviews = "POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews ";
const std::string kLeases = "/apis/coordination.k8s.io/v1/namespaces/storage/leases";

bool asks(const std::string& request, const std::string& what) {
  return request.find(what) != request.npos;
}

// A server that allows all and has no lease, but for what a test answers itself.
struct Server {
  // Whether it has answered.
  using Answer = std::function<bool(ServerSide&, const std::string& request)>;

  explicit Server(Answer answer = [](auto&, const auto&) { return false; })
      : scripted({},
                 ScriptedServer::answering([answer](ServerSide& side, const std::string& request) {
                   if (answer(side, request)) return;
                   if (asks(request, "GET /version ")) {
                     side.answer(200, R"({"gitVersion":"v1.30.1"})");
                   } else if (asks(request, kReviews)) {
                     side.answer(201, kAllowed);
                   } else if (asks(request, "GET " + kLeases)) {
                     side.answer(404, R"({"kind":"Status","reason":"NotFound"})");
                   } else if (asks(request, "POST " + kLeases + "?dryRun=All ")) {
                     side.answer(201, "{}");
                   } else {
                     side.answer(500, "");
                   }
                 })) {
    loaded.configuration.agent.kube.kubeconfig = directory / "config";
    test::write_file(directory / "config",
                     "current-context: c\ncontexts: [{name: c, context: {cluster: k, user: u}}]\n"
                     "users: [{name: u, user: {token: t}}]\n"
                     "clusters: [{name: k, cluster: {server: 'http://127.0.0.1:" +
                         std::to_string(scripted.port()) + "'}}]\n");
    config::ModuleSettings attacher;
    attacher.name = "attacher";
    attacher.is_controller = true;
    attacher.kube_grants = {{"status", {"storage.k8s.io"}, {"volumeattachments/status"}, {"patch"}},
                            {"nodes", {""}, {"nodes"}, {"list", "watch"}}};
    loaded.configuration.modules = {attacher};
    loaded.schemas["attacher"].role_file = "roles/attacher.yaml";
  }

  config::ModuleSettings& attacher() { return loaded.configuration.modules.front(); }
  void elect() {
    attacher().wait_for_driver = "/csi.sock";
    attacher().leader_election.lease = "attacher-{driver}";
    attacher().leader_election.name_space = "storage";
  }

  std::string check(const DriverNames& drivers = {}) {
    std::ostringstream output;
    CheckReport report(output);
    kube::IoLoop loop;
    check_api_server(loop, loaded, drivers, report);
    is_good = !report.has_wrong();
    return output.str();
  }

  test::TemporaryDirectory directory;
  ScriptedServer scripted;
  config::Loaded loaded;
  bool is_good = false;
};

TEST_CASE("each verb that a controller asks for is told, in the role's words") {
  Server server;
  CHECK(server.check() ==
        "ok: the kubeconfig \"" + server.directory / "config" +
            "\" can be read\n"
            "ok: the API server answers as version v1.30.1\n"
            "ok: attacher is allowed the verb patch on the resource volumeattachments/status of "
            "the API group \"storage.k8s.io\"\n"
            "ok: attacher is allowed the verb list on the resource nodes of the API group \"\"\n"
            "ok: attacher is allowed the verb watch on the resource nodes of the API group "
            "\"\"\n");
  CHECK(server.is_good);
}

TEST_CASE("what stands in two grants is asked once") {
  size_t lists = 0;
  Server server([&lists](ServerSide&, const std::string& request) {
    if (asks(request, R"({"verb":"list","group":"","resource":"nodes"})")) ++lists;
    return false;
  });
  server.attacher().kube_grants = {{"nodes", {""}, {"nodes"}, {"list", "watch"}},
                                   {"twice", {"", "apps"}, {"nodes", "nodes/status"}, {"list"}}};
  const std::string text = server.check();
  CHECK(lists == 1);
  for (const std::string resource :
       {"nodes of the API group \"\"", "nodes of the API group \"apps\"",
        "nodes/status of the API group \"\"", "nodes/status of the API group \"apps\""}) {
    CHECK_THAT(text, Contains("allowed the verb list on the resource " + resource + '\n'));
  }
}

TEST_CASE("a verb that is missing is told with the role's file, and the others nevertheless") {
  Server server([](ServerSide& side, const std::string& request) {
    if (!asks(request, R"({"verb":"patch","group":"storage.k8s.io",)"
                       R"("resource":"volumeattachments","subresource":"status"})")) {
      return false;
    }
    side.answer(201, R"({"status":{"allowed":false,"evaluationError":"role \"x\" not found"}})");
    return true;
  });
  CHECK_THAT(server.check(),
             Contains("wrong: attacher is not allowed the verb patch on the resource "
                      "volumeattachments/status of the API group \"storage.k8s.io\": role \"x\" "
                      "not found; the role is in roles/attacher.yaml\n") &&
                 Contains("ok: attacher is allowed the verb watch on the resource nodes"));
  CHECK_FALSE(server.is_good);
}

TEST_CASE("secrets that are not allowed everywhere are warned of: there may be Roles") {
  Server server([](ServerSide& side, const std::string& request) {
    if (asks(request, "secrets")) side.answer(201, kDenied);
    return asks(request, "secrets");
  });
  server.attacher().kube_grants = {{"secrets", {""}, {"secrets"}, {"get"}}};
  CHECK_THAT(server.check(),
             Contains("warning: attacher is not allowed the verb get on the resource secrets of "
                      "the API group \"\" in all namespaces, and needs it where objects name "
                      "secrets; the role is in roles/attacher.yaml; what Roles allow in single "
                      "namespaces is not checked\n"));
  CHECK(server.is_good);
}

TEST_CASE("what no controller is enabled for is not asked") {
  Server server;
  CHECK(asks_api_server(server.loaded.configuration));
  server.attacher().enabled = false;
  CHECK_FALSE(asks_api_server(server.loaded.configuration));
  CHECK_THAT(server.check(), !Contains("allowed"));
}

TEST_CASE("a server that does not answer, or does not know who asks, is asked nothing else") {
  SECTION("nobody listens") {
    Server server;
    test::write_file(server.directory / "config",
                     "current-context: c\ncontexts: [{name: c, context: {cluster: k}}]\n"
                     "clusters: [{name: k, cluster: {server: 'http://127.0.0.1:1'}}]\n");
    CHECK_THAT(server.check(), Contains("wrong: cannot reach the API server") &&
                                   Contains("\nnot checked: ") && !Contains("allowed the verb"));
    CHECK_FALSE(server.is_good);
  }
  SECTION("it answers no more") {
    Server server([](ServerSide& side, const std::string& request) {
      if (!asks(request, kReviews)) return false;
      side.write("nonsense\r\n\r\n");
      return true;
    });
    const std::string text = server.check();
    CHECK_THAT(text,
               Contains("wrong: cannot find out whether attacher is allowed the verb patch") &&
                   Contains("\nnot checked: ") && !Contains("verb watch"));
  }
  SECTION("the token has expired") {
    Server server([](ServerSide& side, const std::string&) {
      side.answer(401, R"({"kind":"Status","reason":"Unauthorized","message":"Unauthorized"})");
      return true;
    });
    CHECK_THAT(
        server.check(),
        Contains("wrong: cannot get \"/version\": Unauthorized; the token in the kubeconfig") &&
            Contains("has expired, or is of another cluster\nnot checked: "));
    CHECK_FALSE(server.is_good);
  }
}

TEST_CASE("a server whose version is not for everybody has answered") {
  Server server([](ServerSide& side, const std::string& request) {
    if (asks(request, "/version")) side.answer(403, R"({"kind":"Status","reason":"Forbidden"})");
    return asks(request, "/version");
  });
  CHECK_THAT(server.check(), Contains("ok: the API server answers\n"));
  CHECK(server.is_good);
}

TEST_CASE("an answer that is no review is wrong") {
  const std::string body = GENERATE("", "[]", "{", R"({"status":{"allowed":"true"}})");
  Server server([body](ServerSide& side, const std::string& request) {
    if (asks(request, kReviews)) side.answer(201, body);
    return asks(request, kReviews);
  });
  CHECK_THAT(server.check(), Contains("does not say whether it is allowed\n"));
  CHECK_FALSE(server.is_good);
}

TEST_CASE("a clock that is off is told by the server's date") {
  const auto [date, text, is_good] = GENERATE(table<std::string, std::string, bool>({
      {"Fri, 27 Nov 2020 19:35:04 GMT", " ahead of the API server's", false},
      {"Sat, 27 Nov 2120 19:35:04 GMT", " behind the API server's", false},
      {"yesterday", "answers as version", true},
  }));
  Server server([date = date](ServerSide& side, const std::string& request) {
    if (asks(request, "/version")) side.answer(200, "{}", "Date: " + date + "\r\n");
    return asks(request, "/version");
  });
  if (is_good) {
    CHECK_THAT(server.check(), !Contains("clock"));
  } else {
    CHECK_THAT(server.check(), Contains(text) && Contains("; set the clock\n"));
  }
  CHECK(server.is_good == is_good);
}

TEST_CASE("without a kubeconfig that can be read nothing is asked") {
  Server server;
  server.loaded.configuration.agent.kube.kubeconfig = server.directory / "absent";
  CHECK_THAT(server.check(), Catch::StartsWith("wrong: cannot ask the API server: cannot read the "
                                               "file \"" +
                                               server.directory / "absent") &&
                                 Catch::EndsWith("\nnot checked: what the API server allows\n"));
  CHECK_FALSE(server.is_good);
}

TEST_CASE("a lease that is not there is tried, and none is made") {
  Server server;
  server.elect();
  CHECK_THAT(
      server.check({{"/csi.sock", "d.example.com"}}),
      Contains("ok: leader election is allowed the verb update on the resource leases of the "
               "API group \"coordination.k8s.io\" in the namespace storage\n"
               "ok: the lease storage/attacher-d-example-com can be made\n"));
  CHECK(server.is_good);
}

TEST_CASE("why a lease could not be taken is told") {
  SECTION("there is no such namespace") {
    Server server([](ServerSide& side, const std::string& request) {
      if (!asks(request, "POST " + kLeases)) return false;
      side.answer(404, R"({"kind":"Status","reason":"NotFound",
                           "message":"namespaces \"storage\" not found"})");
      return true;
    });
    server.elect();
    CHECK_THAT(server.check({{"/csi.sock", "d"}}),
               Contains("wrong: the lease storage/attacher-d is not there, and cannot be made: ") &&
                   Contains("namespaces \"storage\" not found\n"));
    CHECK_FALSE(server.is_good);
  }
  SECTION("a verb is missing") {
    Server server([](ServerSide& side, const std::string& request) {
      if (asks(request, R"("verb":"create")")) side.answer(201, kDenied);
      return asks(request, R"("verb":"create")");
    });
    server.elect();
    CHECK_THAT(server.check({{"/csi.sock", "d"}}),
               Contains("wrong: leader election is not allowed the verb create") &&
                   Contains("; the role is in deploy/kubernetes/rbac/leases.yaml\n") &&
                   !Contains("the lease storage/"));
    CHECK_FALSE(server.is_good);
  }
  SECTION("its driver has not told its name") {
    Server server;
    server.elect();
    CHECK_THAT(server.check(), Contains("\nnot checked: the lease attacher-{driver}: "));
  }
}

TEST_CASE("who holds a lease is told: it is waited for") {
  Server server([](ServerSide& side, const std::string& request) {
    if (!asks(request, "GET " + kLeases + "/attacher-d ")) return false;
    side.answer(200, R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease",
        "metadata":{"name":"attacher-d","namespace":"storage","uid":"1","resourceVersion":"1"},
        "spec":{"holderIdentity":"other_1"}})");
    return true;
  });
  server.elect();
  CHECK_THAT(
      server.check({{"/csi.sock", "d"}}),
      Contains("ok: the lease storage/attacher-d can be taken when its holder, other_1, does "
               "not renew it any more\n"));
  CHECK(server.is_good);
}

}  // namespace
}  // namespace longshore::sidecars
