// The fixture of this layer by itself: what the tests of the client rely on.
#include "tests/support/kube_api_server.h"

#include <stdlib.h>

#include <catch2/catch.hpp>
#include <stdexcept>
#include <string>

#include "tests/support/eventually.h"
#include "tests/support/live_process.h"
#include "tests/support/process_status.h"
#include "tests/support/program_run.h"
#include "tests/support/read_file.h"

namespace longshore::test {
namespace {

using Authority = KubeconfigForm::Authority;
using Credentials = KubeconfigForm::Credentials;

const std::string kVolumes = "/api/v1/persistentvolumes";
const std::string kConfigMaps = "/api/v1/namespaces/default/configmaps";
const std::string kClaims = "/api/v1/namespaces/default/persistentvolumeclaims";

std::string config_map(const std::string& name) {
  return R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":")" + name + "\"}}";
}

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_CASE("everybody may what the role says, and nobody else anything") {
  KubeApiServer& server = shared_kube_api_server();
  const KubeIdentity& admin = server.admin();
  CHECK(server.request(admin, "GET", kVolumes).status == 200);
  CHECK(server.request(admin, "POST", kConfigMaps, config_map("one")).status == 201);
  CHECK(server.request(admin, "PATCH", kConfigMaps + "/one", R"({"data":{"a":"b"}})").status ==
        200);

  for (const Credentials form : {Credentials::kToken, Credentials::kCertificate}) {
    const std::string name = form == Credentials::kToken ? "by-token" : "by-certificate";
    const KubeIdentity reader =
        server.identity(name, {{{""}, {"persistentvolumes"}, {"get"}}}, {form});
    // It may ask for one, of which there is none.
    CHECK(server.request(reader, "GET", kVolumes + "/none").status == 404);
    const KubeResponse refused = server.request(reader, "GET", kVolumes);
    CHECK(refused.status == 403);
    CHECK(holds(refused.body, reader.user));
    CHECK(server.request(reader, "GET", kConfigMaps + "/one").status == 403);
    CHECK(server.request(reader, "DELETE", kConfigMaps + "/one").status == 403);
  }

  const TemporaryDirectory elsewhere;
  write_file(elsewhere / "token", "admin-of-another");
  const KubeIdentity unknown{.user = "admin", .token_file = elsewhere / "token"};
  CHECK(server.request(unknown, "GET", kVolumes).status == 401);
  const KeyPair forged = CertificateAuthority(elsewhere.path()).client("by-certificate");
  const KubeIdentity foreign{.user = "by-certificate",
                             .certificate_file = forged.certificate_file,
                             .key_file = forged.key_file};
  CHECK(server.request(foreign, "GET", kVolumes + "/none").status == 401);
}

TEST_CASE("what was written is there after the server was killed, and after etcd stood",
          "[thorough]") {
  KubeApiServer& server = shared_kube_api_server();
  const KubeIdentity& admin = server.admin();
  const KubeIdentity reader = server.identity("reader-of-kept", {{{""}, {"configmaps"}, {"get"}}});
  REQUIRE(server.request(admin, "POST", kConfigMaps, config_map("kept")).status == 201);

  server.kill_server();
  CHECK(server.request(admin, "GET", "/readyz").status == 0);
  server.start_server();
  CHECK(server.request(reader, "GET", kConfigMaps + "/kept").status == 200);

  server.stop_etcd();
  CHECK(server.request(admin, "GET", "/healthz/etcd").status == 500);
  server.continue_etcd();
  CHECK(server.request(reader, "GET", kConfigMaps + "/kept").status == 200);
}

TEST_CASE("the controller manager binds a claim", "[thorough]") {
  const KubeApiServer server({.controller_manager = true});
  const KubeIdentity& admin = server.admin();
  REQUIRE(server
              .request(admin, "POST", kVolumes,
                       R"({"apiVersion":"v1","kind":"PersistentVolume","metadata":{"name":"one"},
                           "spec":{"capacity":{"storage":"1Gi"},"accessModes":["ReadWriteOnce"],
                                   "csi":{"driver":"test.csi.example","volumeHandle":"1"}}})")
              .status == 201);
  REQUIRE(
      server
          .request(admin, "POST", kClaims,
                   R"({"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"claim"},
                           "spec":{"accessModes":["ReadWriteOnce"],"storageClassName":"",
                                   "resources":{"requests":{"storage":"1Gi"}}}})")
          .status == 201);
  CHECK(eventually([&] {
    return holds(server.request(admin, "GET", kClaims + "/claim").body, R"("phase":"Bound")");
  }));
}

TEST_CASE("a server that ends too early is an error") {
  REQUIRE(::setenv("LONGSHORE_KUBE_APISERVER", "/usr/bin/false", 1) == 0);
  std::string told;
  try {
    const KubeApiServer server;
  } catch (const std::runtime_error& error) {
    told = error.what();
  }
  ::unsetenv("LONGSHORE_KUBE_APISERVER");
  CHECK(holds(told, "kube-apiserver is not ready"));
}

TEST_CASE("what runs beside a test ends when the test dies") {
  const TemporaryDirectory directory;
  pid_t beside = 0;
  {
    const LiveProcess test([&] {
      const auto* const daemon = new DaemonProcess({"/usr/bin/sleep", "600"}, directory / "log");
      write_file(directory / "id", std::to_string(daemon->id()));
    });
    beside = std::stoi(read_file(directory / "id"));
    // It has become the program, and so has asked for that end.
    REQUIRE(eventually(
        [&] { return read_file("/proc/" + std::to_string(beside) + "/comm") == "sleep\n"; }));
  }
  CHECK(eventually([&] { return !is_alive(beside); }));
}

TEST_CASE("a kubeconfig names files, or has what is in them") {
  const TemporaryDirectory directory;
  const auto file = [&](const std::string& name, const std::string& text) {
    write_file(directory / name, text);
    return directory / name;
  };
  const std::string authority = file("ca", "authority");
  const KubeIdentity by_token{.user = "one", .token_file = file("token", "secret")};
  const KubeIdentity by_certificate{.user = "two",
                                    .certificate_file = file("crt", "certificate"),
                                    .key_file = file("key", "key")};
  const auto text = [&](const KubeIdentity& identity, KubeconfigForm form) {
    return kubeconfig_text("https://127.0.0.1:1", authority, identity, form);
  };

  const std::string files = text(by_token, {});
  CHECK(holds(files, "    server: https://127.0.0.1:1\n"));
  CHECK(holds(files, "    certificate-authority: " + authority + "\n"));
  CHECK(holds(files, "    tokenFile: " + by_token.token_file + "\n"));
  const std::string inside = text(by_token, {Credentials::kToken, Authority::kInline});
  CHECK(holds(inside, "    certificate-authority-data: YXV0aG9yaXR5\n"));
  CHECK(holds(inside, "    token: secret\n"));
  const std::string certificate_files = text(by_certificate, {Credentials::kCertificateFile});
  CHECK(holds(certificate_files, "    client-certificate: " + by_certificate.certificate_file));
  CHECK(holds(certificate_files, "    client-key: " + by_certificate.key_file));
  const std::string certificate = text(by_certificate, {Credentials::kCertificate});
  CHECK(holds(certificate, "    client-certificate-data: Y2VydGlmaWNhdGU=\n"));
  CHECK(holds(certificate, "    client-key-data: a2V5\n"));
  CHECK_THROWS_AS(text(by_certificate, {Credentials::kToken}), std::logic_error);
  CHECK_THROWS_AS(text(by_token, {Credentials::kCertificate}), std::logic_error);
}

}  // namespace
}  // namespace longshore::test
