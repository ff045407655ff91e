// What a kubeconfig says, and what is wrong with one.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "kube/configuration.h"
#include "tests/support/temporary_directory.h"

namespace longshore::kube {
namespace {

using Catch::Matchers::Contains;
using test::TemporaryDirectory;
using test::write_file;

constexpr const char* kSecret = "s3cr3t";  // stands in no sentence

Result<Configuration> read(const std::string& text) {
  const TemporaryDirectory directory;
  write_file(directory / "config", text);
  return read_kubeconfig(directory / "config");
}

// A whole one, with these lines in its cluster and in its user.
std::string with(const std::string& cluster, const std::string& user,
                 const std::string& context = "    namespace: storage\n") {
  return "apiVersion: v1\nkind: Config\ncurrent-context: here\n"
         "contexts:\n- name: other\n  context: {cluster: far, user: nobody}\n"
         "- name: here\n  context:\n    cluster: near\n    user: me\n" +
         context +
         "clusters:\n- name: far\n  cluster: {server: 'https://far.example'}\n"
         "- name: near\n  cluster:\n" +
         cluster + "users:\n- name: me\n  user:\n" + user;
}

const std::string kServer = "    server: https://api.example:6443\n";
const std::string kToken = std::string("    token: ") + kSecret + "\n";

std::string refusal(const std::string& text) {
  const auto configuration = read(text);
  REQUIRE_FALSE(configuration);
  const std::string message = configuration.error().message();
  CHECK_THAT(message, Contains("kubeconfig"));
  CHECK_THAT(message, !Contains(kSecret));
  return message;
}

TEST_CASE("A kubeconfig's current context says where the server is and who asks it") {
  const auto configuration = read(with(kServer + "    tls-server-name: kubernetes\n", kToken));
  REQUIRE(configuration);
  CHECK(configuration->server.text() == "https://api.example:6443");
  CHECK(configuration->tls_server_name == "kubernetes");
  CHECK(configuration->name_space == "storage");
  CHECK(configuration->token.text() == kSecret);
  CHECK(configuration->certificate_authority.empty());
  CHECK(configuration->warnings.empty());
  CHECK_THAT(configuration->source, Contains("the kubeconfig \"/"));
}

TEST_CASE("Relative paths of a kubeconfig are relative to it, and absolute ones stay") {
  const TemporaryDirectory directory;
  write_file(directory / "config", with(kServer + "    certificate-authority: pki/ca.crt\n",
                                        "    client-certificate: me.crt\n"
                                        "    client-key: /etc/me.key\n    tokenFile: token\n"));
  const auto configuration = read_kubeconfig(directory / "config");
  REQUIRE(configuration);
  CHECK(configuration->certificate_authority.file == directory / "pki/ca.crt");
  CHECK(configuration->client_certificate.file == directory / "me.crt");
  CHECK(configuration->client_key.file == "/etc/me.key");
  CHECK(configuration->token_file == directory / "token");
}

TEST_CASE("Data of a kubeconfig goes before its files, and a token's file before the token") {
  const auto configuration =
      read(with(kServer + "    certificate-authority: a\n    certificate-authority-data: Q0E=\n",
                kToken + "    tokenFile: /t\n    client-certificate: a\n"
                         "    client-certificate-data: Q1JU\n    client-key-data: S0VZ\n"));
  REQUIRE(configuration);
  CHECK(configuration->certificate_authority.file.empty());
  CHECK(configuration->certificate_authority.text.text() == "CA");
  CHECK(configuration->client_certificate.text.text() == "CRT");
  CHECK(configuration->client_key.text.text() == "KEY");
  CHECK(configuration->token_file == "/t");
  CHECK(configuration->token.empty());
}

TEST_CASE("A context without a user, a user with a password and one in JSON are taken") {
  auto configuration = read(
      "{\"current-context\": \"c\", \"contexts\": [{\"name\": \"c\", \"context\": {\"cluster\": "
      "\"k\"}}], \"clusters\": [{\"name\": \"k\", \"cluster\": {\"server\": "
      "\"http://localhost:8080/\"}}], \"users\": null}");
  REQUIRE(configuration);
  CHECK(configuration->server.text() == "http://localhost:8080");
  CHECK(configuration->token.empty());
  configuration = read(with(kServer, std::string("    username: me\n    password: ") + kSecret));
  REQUIRE(configuration);
  CHECK(configuration->user_name == "me");
  CHECK(configuration->password.text() == kSecret);
}

TEST_CASE("What makes credentials readable for others is warned of") {
  auto configuration = read(with(kServer + "    insecure-skip-tls-verify: true\n", kToken));
  REQUIRE(configuration);
  CHECK(configuration->skips_verification);
  REQUIRE(configuration->warnings.size() == 1);
  CHECK_THAT(configuration->warnings[0], Contains("insecure-skip-tls-verify: whoever answers"));
  for (const std::string host : {"api.example", "127.0.0.1.example"}) {
    configuration = read(with("    server: http://" + host + "\n", kToken));
    REQUIRE(configuration);
    REQUIRE(configuration->warnings.size() == 1);
    CHECK_THAT(configuration->warnings[0], Contains("without TLS"));
  }
  CHECK_THAT(configuration->warnings[0], !Contains(kSecret));
}

TEST_CASE("What the agent does not do is refused with what to do in its place") {
  CHECK_THAT(refusal(with(kServer, "    exec: {command: aws, apiVersion: v1}\n")),
             Contains("user \"me\" gets its credentials from a program (exec)") &&
                 Contains("give it a tokenFile"));
  CHECK_THAT(refusal(with(kServer, "    auth-provider: {name: gcp}\n")),
             Contains("(auth-provider)"));
  CHECK_THAT(refusal(with(kServer, kToken + "    as: admin\n")), Contains("acts as another user"));
  CHECK_THAT(refusal(with(kServer + "    proxy-url: http://localhost:3128\n", kToken)),
             Contains("proxy-url of cluster \"near\" is not supported"));
}

TEST_CASE("A kubeconfig that contradicts itself is refused") {
  CHECK_THAT(refusal(with(kServer + "    insecure-skip-tls-verify: true\n"
                                    "    certificate-authority: ca.crt\n",
                          kToken)),
             Contains("both a certificate-authority and insecure-skip-tls-verify"));
  CHECK_THAT(refusal(with(kServer, kToken + "    username: me\n    password: x\n")),
             Contains("both a token and a username"));
  CHECK_THAT(refusal(with(kServer, "    client-certificate: me.crt\n")),
             Contains("client-certificate and client-key"));
}

TEST_CASE("What is missing in a kubeconfig is named, with what there is") {
  CHECK_THAT(refusal("kind: Config\n"), Contains("no current-context"));
  CHECK_THAT(refusal(""), Contains("no current-context"));
  CHECK_THAT(refusal("current-context: x\ncontexts: [{name: a}, {name: b}]\n"),
             Contains("no context \"x\" in it; it has a, b"));
  CHECK_THAT(refusal("current-context: a\ncontexts: [{name: a, context: {cluster: k}}]\n"),
             Contains("no cluster \"k\" in it; it has none"));
  CHECK_THAT(refusal("current-context: a\ncontexts: [{name: a, context: {user: u}}]\n"),
             Contains("names no cluster"));
  CHECK_THAT(refusal("current-context: a\ncontexts: [{name: a, context: {cluster: k, user: u}}]\n"
                     "clusters: [{name: k, cluster: {server: 'https://api.example'}}]\n"),
             Contains("no user \"u\""));
  CHECK_THAT(refusal(with("    tls-server-name: x\n", kToken)),
             Contains("server of cluster \"near\": cannot read the address"));
}

TEST_CASE("Duplicates in a kubeconfig are refused") {
  CHECK_THAT(refusal(with(kServer, kToken + kToken)), Contains("user \"me\" has the key token "
                                                               "twice"));
  CHECK_THAT(refusal(with(kServer, kToken + "- name: me\n  user: {token: other}\n")),
             Contains("users has two entries of the name \"me\""));
  CHECK_THAT(refusal("users: []\nusers: []\n"), Contains("the file has the key users twice"));
}

TEST_CASE("Kubeconfigs that are none are refused, without what stands in them") {
  CHECK_THAT(refusal("kind: Pod\n"), Contains("its kind is \"Pod\""));
  CHECK_THAT(refusal("[" + std::string(kSecret) + "]"), Contains("the file is not a mapping"));
  CHECK_THAT(refusal("users: *" + std::string(kSecret) + "\n"),
             Contains("it is not YAML at line 1, column "));
  CHECK_THAT(refusal(std::string("a: 'b\n") + kSecret), Contains("it is not YAML at line "));
  CHECK_THAT(refusal(std::string(100'000, '[')), Contains("it is not YAML"));
  CHECK_THAT(refusal(std::string(5u << 20, '#')), Contains("longer than 4 MiB"));
  CHECK_THAT(refusal(with(kServer, std::string("    token: [") + kSecret + "]\n")),
             Contains("token of user \"me\" is not a text"));
  CHECK_THAT(refusal(with(kServer, std::string("    client-certificate-data: '") + kSecret +
                                       "?'\n    client-key-data: 'S0VZ'\n")),
             Contains("client-certificate-data of user \"me\" is not base64"));
  CHECK_THAT(refusal(with(kServer + "    insecure-skip-tls-verify: perhaps\n", kToken)),
             Contains("neither true nor false"));
  CHECK_THAT(refusal("current-context: a\ncontexts: {a: b}\n"), Contains("contexts is not a list"));
  CHECK_THAT(refusal("? [a, b]\n: c\n"), Contains("a key of the file is not a text"));
}

TEST_CASE("A kubeconfig that cannot be read says so") {
  const TemporaryDirectory directory;
  auto configuration = read_kubeconfig(directory / "absent");
  REQUIRE_FALSE(configuration);
  CHECK(configuration.error().code() == StatusCode::kNotFound);
  CHECK_THAT(configuration.error().message(), Contains("/absent\": No such file"));
  configuration = read_kubeconfig(directory.path());
  REQUIRE_FALSE(configuration);
  CHECK_THAT(configuration.error().message(), Contains("it is not a regular file"));
}

TEST_CASE("A Pod's configuration is its environment and the files of its service account") {
  const TemporaryDirectory directory;
  PodSurroundings pod{"fd00::1", "443", directory.path()};
  write_file(directory / "token", kSecret);
  write_file(directory / "ca.crt", "CA");
  auto configuration = in_cluster_configuration(pod);
  REQUIRE(configuration);
  CHECK(configuration->server.text() == "https://[fd00::1]:443");
  CHECK(configuration->token_file == directory / "token");
  CHECK(configuration->certificate_authority.file == directory / "ca.crt");
  CHECK(configuration->name_space.empty());
  write_file(directory / "namespace", "storage\n");
  configuration = in_cluster_configuration(pod);
  REQUIRE(configuration);
  CHECK(configuration->name_space == "storage");
}

TEST_CASE("The namespace of a Pod is what its author says, else its service account's") {
  const TemporaryDirectory directory;
  PodSurroundings pod{"", "", directory.path()};
  CHECK(pod_namespace(pod) == "default");
  write_file(directory / "namespace", "\n");
  CHECK(pod_namespace(pod) == "default");
  write_file(directory / "namespace", "storage\n");
  CHECK(pod_namespace(pod) == "storage");
  pod.name_space = "other";
  CHECK(pod_namespace(pod) == "other");
}

TEST_CASE("What a Pod lacks is named") {
  const TemporaryDirectory directory;
  auto configuration = in_cluster_configuration({"", "443", directory.path()});
  REQUIRE_FALSE(configuration);
  CHECK_THAT(
      configuration.error().message(),
      Contains("no kubeconfig is named, and this is no Pod") &&
          Catch::EndsWith("; name a kubeconfig by agent.kube.kubeconfig, of csi-sidecars the flag "
                          "--kubeconfig, or run this in a Pod"));
  configuration = in_cluster_configuration({"10.0.0.1", "https", directory.path()});
  REQUIRE_FALSE(configuration);
  CHECK_THAT(configuration.error().message(), Contains("KUBERNETES_SERVICE_PORT"));
  configuration = in_cluster_configuration({"10.0.0.1", "443", directory.path()});
  REQUIRE_FALSE(configuration);
  CHECK_THAT(configuration.error().message(),
             Contains("/token\"") && Contains("automountServiceAccountToken"));
  write_file(directory / "token", kSecret);
  configuration = in_cluster_configuration({"10.0.0.1", "443", directory.path()});
  REQUIRE_FALSE(configuration);
  CHECK_THAT(configuration.error().message(), Contains("/ca.crt\""));
}

}  // namespace
}  // namespace longshore::kube
