// `longshorectl kube` and an API server that is made up.
#include <catch2/catch.hpp>

#include "longshorectl_run.h"
#include "tests/support/build_tree.h"
#include "tests/unit/kube/scripted_server.h"

using namespace longshore::test;
using Catch::Matchers::Contains;

namespace {

struct Kube {
  // Answers each request with its own path, and what is not there with a Status.
  Kube()
      : server({}, ScriptedServer::answering([](ServerSide& side, const std::string& request) {
                 const size_t begin = request.find(' ') + 1;
                 const std::string target = request.substr(begin, request.find(' ', begin) - begin);
                 if (target == "/readyz") return side.answer(200, "ok\x1b[1m");
                 if (target.ends_with("/absent")) {
                   return side.answer(
                       404, R"({"kind":"Status","reason":"NotFound","message":"not found"})");
                 }
                 side.answer(200, R"({"path":")" + target + R"(","empty":{},"n":[1.0,2]})");
               })) {
    write_file(directory / "config",
               "current-context: c\ncontexts: [{name: c, context: {cluster: k, namespace: own}}]\n"
               "clusters: [{name: k, cluster: {server: 'http://127.0.0.1:" +
                   std::to_string(server.port()) + "'}}]\n");
  }

  ProgramRun run(std::vector<std::string> words) const {
    words.insert(words.begin(),
                 {built_program("longshorectl"), "--kubeconfig", directory / "config"});
    std::swap(words[1], words[3]);  // "kube" goes before its option
    std::swap(words[2], words[3]);
    return run_program(std::move(words));
  }
  // The path that was asked for.
  std::string path(std::vector<std::string> words) const {
    words.insert(words.begin(), {"kube", "get"});
    words.insert(words.end(), {"--output", "json"});
    const auto run = this->run(std::move(words));
    const std::string begin = R"({"path":")";
    CHECK_THAT(run.output, Catch::StartsWith(begin));
    return run.output.substr(begin.size(), run.output.find('"', begin.size()) - begin.size());
  }

  TemporaryDirectory directory;
  ScriptedServer server;
};

}  // namespace

TEST_CASE("an object of the API server is printed as indented JSON, its numbers as they are") {
  const Kube kube;
  const auto run = kube.run({"kube", "version"});
  CHECK(run.errors == "");
  CHECK(run.exit_code == 0);
  CHECK(run.output ==
        "{\n  \"path\": \"/version\",\n  \"empty\": {},\n  \"n\": [\n    1.0,\n    2\n  ]\n}\n");
}

TEST_CASE("resources are found by their name, in the namespace that is meant") {
  const Kube kube;
  CHECK(kube.path({"persistentvolumes"}) == "/api/v1/persistentvolumes");
  CHECK(kube.path({"csinodes", "n"}) == "/apis/storage.k8s.io/v1/csinodes/n");
  CHECK(kube.path({"leases", "l"}) == "/apis/coordination.k8s.io/v1/namespaces/own/leases/l");
  CHECK(kube.path({"leases", "-n", "other"}) ==
        "/apis/coordination.k8s.io/v1/namespaces/other/leases");
  CHECK(kube.path({"/apis/apps/v1/deployments?limit=1"}) == "/apis/apps/v1/deployments?limit=1");
}

TEST_CASE("what is no JSON is printed as text, and as JSON for programs") {
  const Kube kube;
  CHECK(kube.run({"kube", "get", "/readyz"}).output == "ok\\u001b[1m\n");
  CHECK(kube.run({"kube", "get", "/readyz", "--output", "json"}).output ==
        "{\"text\":\"ok\\u001b[1m\"}\n");
}

TEST_CASE("what cannot be asked for is told with an exit code of its own") {
  const Kube kube;
  auto run = kube.run({"kube", "get", "persistentvolumes", "absent"});
  CHECK(run.exit_code == 4);
  CHECK(run.errors == "NOT_FOUND: cannot get \"/api/v1/persistentvolumes/absent\": not found\n");
  for (std::vector<std::string> bad : std::vector<std::vector<std::string>>{
           {"gadgets"}, {"nodes", "a/b"}, {"nodes", "n", "-n", "x"}, {"/readyz", "name"}}) {
    bad.insert(bad.begin(), {"kube", "get"});
    run = kube.run(bad);
    CHECK(run.exit_code == 1);
    CHECK_THAT(run.errors, Contains("longshorectl: cannot get"));
  }
  const std::string program = built_program("longshorectl");
  run = run_program({program, "kube", "version", "--kubeconfig", "/absent"});
  CHECK(run.exit_code == 2);
  CHECK_THAT(run.errors, Contains("cannot read the file \"/absent\""));
  write_file(kube.directory / "nobody",
             "current-context: c\ncontexts: [{name: c, context: {cluster: k}}]\n"
             "clusters: [{name: k, cluster: {server: 'http://127.0.0.1:1'}}]\n");
  run = run_program({program, "kube", "version", "--kubeconfig", kube.directory / "nobody"});
  CHECK(run.exit_code == 3);
  CHECK_THAT(run.errors, Contains("Connection refused"));
}
