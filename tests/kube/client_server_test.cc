// The agent's client, and longshorectl with it, before a real API server.
#include <boost/asio/io_context.hpp>
#include <catch2/catch.hpp>
#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kube/client.h"
#include "tests/support/build_tree.h"
#include "tests/support/kube_api_server.h"
#include "tests/support/program_run.h"
#include "tests/support/read_file.h"

namespace longshore::test {
namespace {

using Authority = KubeconfigForm::Authority;
using Catch::Matchers::Contains;
using Credentials = KubeconfigForm::Credentials;
using kube::ApiReason;
using kube::Method;

const std::string kVolumes = "/api/v1/persistentvolumes";

std::string volume(const std::string& name) {
  return R"({"apiVersion":"v1","kind":"PersistentVolume","metadata":{"name":")" + name +
         R"("},"spec":{"capacity":{"storage":"1Gi"},"accessModes":["ReadWriteOnce"],
             "csi":{"driver":"test.csi.example","volumeHandle":"1"}}})";
}

// A client on its own context, which runs while a request does.
class Asker {
 public:
  explicit Asker(const KubeIdentity& identity)
      : client_(io_, *kube::read_kubeconfig(identity.kubeconfig)) {}

  kube::Outcome ask(Method method, const std::string& path, const std::string& body = {},
                    std::chrono::seconds patience = std::chrono::seconds(60)) {
    std::optional<kube::Outcome> outcome;
    client_.request({.method = method,
                     .path = path,
                     .body = body,
                     .deadline = std::chrono::steady_clock::now() + patience},
                    [&](kube::Outcome done) { outcome = std::move(done); });
    io_.restart();
    while (!outcome && io_.run_one() != 0) {
    }
    REQUIRE(outcome);
    return *std::move(outcome);
  }

 private:
  boost::asio::io_context io_{1};
  kube::Client client_;
};

ProgramRun run_longshorectl(const KubeIdentity& identity, std::vector<std::string> words) {
  words.insert(words.begin(), {built_program("longshorectl"), "kube"});
  words.insert(words.end(), {"--kubeconfig", identity.kubeconfig});
  return run_program(std::move(words));
}

TEST_CASE("the server's answers say that it weighs requests, by which the agent's rate rises") {
  KubeApiServer& server = shared_kube_api_server();
  const KubeIdentity reader =
      server.identity("weighed", {{{""}, {"persistentvolumes"}, {"get", "list"}}});
  Asker asker(reader);
  auto outcome = asker.ask(Method::kGet, kVolumes);
  REQUIRE(outcome);
  CHECK(outcome.response().has_priority_level);
}

TEST_CASE("the client is known by each kind of credentials, and refused with what to do") {
  KubeApiServer& server = shared_kube_api_server();
  REQUIRE(server.request(server.admin(), "POST", kVolumes, volume("known")).status == 201);
  for (const Credentials credentials : {Credentials::kToken, Credentials::kTokenFile,
                                        Credentials::kCertificate, Credentials::kCertificateFile}) {
    for (const Authority authority : {Authority::kFile, Authority::kInline}) {
      const std::string name = "reader-" + std::to_string(static_cast<int>(credentials)) +
                               std::to_string(static_cast<int>(authority));
      const KubeIdentity reader =
          server.identity(name, {{{""}, {"persistentvolumes"}, {"get"}}}, {credentials, authority});
      Asker asker(reader);
      auto outcome = asker.ask(Method::kGet, kVolumes + "/known");
      REQUIRE(outcome);
      CHECK_THAT(outcome.response().body, Contains("\"volumeHandle\":\"1\""));
      outcome = asker.ask(Method::kGet, kVolumes + "/absent");
      REQUIRE_FALSE(outcome);
      CHECK(outcome.error().reason() == ApiReason::kNotFound);
      outcome = asker.ask(Method::kDelete, kVolumes + "/known");
      REQUIRE_FALSE(outcome);
      CHECK(outcome.error().reason() == ApiReason::kForbidden);
      CHECK_THAT(outcome.error().message(),
                 Contains(reader.user) && Contains("delete") && Contains("persistentvolumes"));
    }
  }
}

TEST_CASE("a token that the server takes no more is told, and replaced by the next in its file") {
  KubeApiServer& server = shared_kube_api_server();
  const KubeIdentity reader = server.identity("expiring", {{{""}, {"persistentvolumes"}, {"get"}}},
                                              {Credentials::kTokenFile});
  Asker asker(reader);
  const auto refusal = [&] {
    auto outcome = asker.ask(Method::kGet, kVolumes + "/absent");
    REQUIRE_FALSE(outcome);
    return outcome.error();
  };
  CHECK(refusal().reason() == ApiReason::kNotFound);
  const std::string token = read_file(reader.token_file);
  write_file(reader.token_file, "expired");
  const auto refused = refusal();
  CHECK(refused.reason() == ApiReason::kUnauthorized);
  CHECK_THAT(refused.message(), Contains(reader.token_file) && Contains("has expired"));
  write_file(reader.token_file, token);
  CHECK(refusal().reason() == ApiReason::kNotFound);
}

TEST_CASE("what the server refuses is told apart") {
  KubeApiServer& server = shared_kube_api_server();
  Asker asker(server.admin());
  REQUIRE(asker.ask(Method::kPost, kVolumes, volume("told-apart")));
  auto outcome = asker.ask(Method::kPost, kVolumes, volume("told-apart"));
  REQUIRE_FALSE(outcome);
  CHECK(outcome.error().reason() == ApiReason::kAlreadyExists);
  outcome =
      asker.ask(Method::kPost, kVolumes,
                R"({"apiVersion":"v1","kind":"PersistentVolume","metadata":{"name":"invalid"}})");
  REQUIRE_FALSE(outcome);
  CHECK(outcome.error().reason() == ApiReason::kInvalid);
  std::string stale = volume("told-apart");
  stale.replace(stale.find("\"name\""), 0, R"("resourceVersion":"1",)");
  outcome = asker.ask(Method::kPut, kVolumes + "/told-apart", stale);
  REQUIRE_FALSE(outcome);
  CHECK(outcome.error().reason() == ApiReason::kConflict);
}

TEST_CASE("longshorectl shows what an identity may see") {
  KubeApiServer& server = shared_kube_api_server();
  REQUIRE(server.request(server.admin(), "POST", kVolumes, volume("shown")).status == 201);
  const KubeIdentity reader = server.identity("shown", {{{""}, {"persistentvolumes"}, {"get"}}});

  auto run = run_longshorectl(reader, {"version"});
  CHECK(run.exit_code == 0);
  CHECK_THAT(run.output, Contains("\"gitVersion\": \"v1."));
  run = run_longshorectl(reader, {"get", "persistentvolumes", "shown"});
  CHECK(run.errors == "");
  CHECK_THAT(run.output, Contains("\"volumeHandle\": \"1\""));
  run = run_longshorectl(reader, {"get", "csinodes"});
  CHECK(run.exit_code == 4);
  CHECK_THAT(run.errors, Contains("PERMISSION_DENIED") && Contains("csinodes"));
}

TEST_CASE("a client outlives the server's restart, and etcd's standstill") {
  KubeApiServer& server = shared_kube_api_server();
  Asker asker(server.admin());
  REQUIRE(asker.ask(Method::kGet, kVolumes));

  server.kill_server();
  auto outcome = asker.ask(Method::kGet, kVolumes);
  REQUIRE_FALSE(outcome);
  CHECK(outcome.error().reason() == ApiReason::kNoAnswer);
  CHECK_THAT(outcome.error().message(), Contains(std::to_string(server.port())));
  server.start_server();
  CHECK(asker.ask(Method::kGet, kVolumes));

  server.stop_etcd();
  outcome = asker.ask(Method::kGet, kVolumes, {}, std::chrono::seconds(1));
  CHECK_FALSE(outcome);
  server.continue_etcd();
  CHECK(asker.ask(Method::kGet, kVolumes));
}

}  // namespace
}  // namespace longshore::test
