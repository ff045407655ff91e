// Who the client takes for its API server, and as whom it appears, in TLS.
#include <catch2/catch.hpp>
#include <filesystem>

#include "tests/support/temporary_directory.h"
#include "tests/unit/kube/asking.h"

namespace longshore::kube {
namespace {

using Catch::Matchers::Contains;
using test::Asking;
using test::Certificate;
using test::ScriptedServer;
using test::secure;
using test::ServerSide;
using namespace std::chrono_literals;

const auto kAnswer = ScriptedServer::answering(
    [](ServerSide& side, const auto&) { side.answer(200, std::to_string(side.number())); });

ScriptedServer::Options tls_of(const Certificate& certificate) {
  ScriptedServer::Options options;
  options.certificate = certificate;
  return options;
}

// Why the client does not ask a server of this certificate.
std::string refusal(const Certificate& authority, const Certificate::Parts& parts) {
  ScriptedServer server(tls_of(authority.sign(parts)), kAnswer);
  Asking asking(secure(server.port(), authority.pem()));
  const Outcome outcome = asking.get("/version");
  REQUIRE_FALSE(outcome);
  CHECK(outcome.error().code() == StatusCode::kUnavailable);
  CHECK_THAT(outcome.error().message(),
             Catch::StartsWith("cannot reach the API server \"https://"));
  return outcome.error().message();
}

TEST_CASE("A server of the authority and the name is asked, on one connection") {
  const auto authority = Certificate::authority();
  ScriptedServer server(tls_of(authority.sign({})), kAnswer);
  for (const char* host : {"127.0.0.1", "localhost"}) {
    Configuration configuration = secure(server.port(), authority.pem());
    configuration.server.host = host;
    Asking asking(std::move(configuration));
    Outcome first = asking.get("/version");
    Outcome second = asking.get("/version");
    REQUIRE(first);
    REQUIRE(second);
    CHECK(first.response().body == second.response().body);
  }
}

TEST_CASE("A server of another authority is refused, and the authorities' file is named") {
  const auto own = Certificate::authority("own authority");
  const auto foreign = Certificate::authority("foreign authority");
  const test::TemporaryDirectory directory;
  test::write_file(directory / "ca.crt", own.pem());
  ScriptedServer server(tls_of(foreign.sign({})), kAnswer);
  Configuration configuration = secure(server.port(), "");
  configuration.certificate_authority.file = directory / "ca.crt";
  Asking asking(std::move(configuration));
  const Outcome outcome = asking.get("/version");
  REQUIRE_FALSE(outcome);
  CHECK_THAT(outcome.error().message(), Contains("signed by \"CN = foreign authority\"") &&
                                            Contains("authorities in \"" + directory / "ca.crt"));
  // The cluster's authority is replaced.
  test::write_file(directory / "ca.crt", own.pem() + foreign.pem());
  CHECK(asking.get("/version"));
}

TEST_CASE("Without an authority it is what the system trusts") {
  const auto authority = Certificate::authority();
  ScriptedServer server(tls_of(authority.sign({})), kAnswer);
  Asking asking(secure(server.port(), ""));
  const Outcome outcome = asking.get("/version");
  REQUIRE_FALSE(outcome);
  CHECK_THAT(outcome.error().message(), Contains("authorities in what this system trusts"));
}

TEST_CASE("A certificate for another name, or none, is refused, and its names are told") {
  const auto authority = Certificate::authority();
  Certificate::Parts parts;
  parts.names = {"DNS:api.example", "IP:10.0.0.1", "IP:fd00::1"};
  CHECK_THAT(refusal(authority, parts),
             Contains("its certificate is for api.example, 10.0.0.1, fd00::1, and not for "
                      "\"127.0.0.1\""));
  parts.names = {};
  parts.name = "127.0.0.1";  // a subject is no name
  CHECK_THAT(refusal(authority, parts), Contains("its certificate is for no name"));
  parts.names = {"DNS:api.example"};
  ScriptedServer server(tls_of(authority.sign(parts)), kAnswer);
  Configuration configuration = secure(server.port(), authority.pem());
  configuration.tls_server_name = "api.example";
  CHECK(Asking(std::move(configuration)).get("/version"));
}

TEST_CASE("A certificate that has expired, or is not valid yet, is refused, and both times told") {
  const auto authority = Certificate::authority();
  Certificate::Parts parts;
  parts.ends = -1min;
  CHECK_THAT(refusal(authority, parts), Contains("for localhost, 127.0.0.1, expired at 20") &&
                                            Contains("Z, and the clock of this node says 20"));
  parts.begins = 1h;
  parts.ends = 2h;
  CHECK_THAT(refusal(authority, parts), Contains("is valid from 20"));
}

TEST_CASE("Anybody is asked who is not to be verified") {
  ScriptedServer server(tls_of(Certificate::authority().sign({})), kAnswer);
  Configuration configuration = secure(server.port(), "");
  configuration.skips_verification = true;
  CHECK(Asking(std::move(configuration)).get("/version"));
}

TEST_CASE("A client's certificate is shown, and another one once its files are others") {
  const auto authority = Certificate::authority();
  const auto clients = Certificate::authority("clients");
  const auto good = clients.sign({});
  const auto bad = authority.sign({});
  const test::TemporaryDirectory directory;
  test::write_file(directory / "crt", bad.pem());
  test::write_file(directory / "key", bad.key_pem());
  ScriptedServer::Options options = tls_of(authority.sign({}));
  options.client_authority = clients.pem();
  ScriptedServer server(options, kAnswer);
  Configuration configuration = secure(server.port(), authority.pem());
  configuration.client_certificate.file = directory / "crt";
  configuration.client_key.file = directory / "key";
  Asking asking(std::move(configuration));
  Outcome outcome = asking.get("/version");
  REQUIRE_FALSE(outcome);
  CHECK_THAT(outcome.error().message(), Contains("it refuses the client certificate"));
  test::write_file(directory / "crt", good.pem());  // the key is not there yet
  CHECK_FALSE(asking.get("/version"));
  test::write_file(directory / "key", good.key_pem());
  CHECK(asking.get("/version"));
  // In the middle of the next replacement, those before stay.
  Asking later = [&] {
    Configuration again = secure(server.port(), authority.pem());
    again.client_certificate.file = directory / "crt";
    again.client_key.file = directory / "key";
    return Asking(std::move(again));
  }();
  CHECK(later.get("/version"));
}

TEST_CASE("Certificates and keys that are none are told by their files") {
  const auto authority = Certificate::authority();
  ScriptedServer server(tls_of(authority.sign({})), kAnswer);
  const auto message_of = [&](const std::string& authorities, const std::string& certificate,
                              const std::string& key) {
    Configuration configuration = secure(server.port(), authorities);
    configuration.client_certificate.text = Secret::copy_of(certificate);
    configuration.client_key.text = Secret::copy_of(key);
    const Outcome outcome = Asking(std::move(configuration)).get("/version");
    REQUIRE_FALSE(outcome);
    CHECK(outcome.error().code() == StatusCode::kInvalidArgument);
    CHECK_THAT(outcome.error().message(), !Contains("PRIVATE"));
    return outcome.error().message();
  };
  const auto client = authority.sign({});
  CHECK_THAT(message_of("nonsense", "", ""),
             Contains("in certificate-authority-data of the test: there is no certificate"));
  CHECK_THAT(message_of(authority.pem() + authority.pem().substr(0, 200), "", ""),
             Contains("certificate 2 of it is damaged"));
  CHECK_THAT(message_of(authority.pem(), "nonsense", client.key_pem()),
             Contains("in client-certificate-data of the test: there is no whole certificate"));
  CHECK_THAT(message_of(authority.pem(), client.pem(), "nonsense"),
             Contains("in client-key-data of the test: there is no whole key"));
  CHECK_THAT(message_of(authority.pem(), client.pem(), authority.key_pem()),
             Contains("it is not the key of the certificate"));
}

TEST_CASE("An expired client certificate is what a 401 is about") {
  const auto authority = Certificate::authority();
  Certificate::Parts parts;
  parts.ends = -1min;
  const auto client = authority.sign(parts);
  ScriptedServer server(
      tls_of(authority.sign({})),
      ScriptedServer::answering([](ServerSide& side, const auto&) { side.answer(401, ""); }));
  Configuration configuration = secure(server.port(), authority.pem());
  configuration.client_certificate.text = Secret::copy_of(client.pem());
  configuration.client_key.text = Secret::copy_of(client.key_pem());
  const Outcome outcome = Asking(std::move(configuration)).get("/version");
  REQUIRE_FALSE(outcome);
  CHECK_THAT(outcome.error().message(),
             Contains("client-certificate-data of the test expired at 20") &&
                 Contains("the clock of this node says"));
}

TEST_CASE("A server of plain http is told from one in TLS") {
  ScriptedServer server({}, [](ServerSide& side) {
    side.write("HTTP/1.0 400 Bad Request\r\n\r\n");  // as Go's does when TLS begins
    side.wait_for_end();
  });
  const Outcome outcome = Asking(secure(server.port(), "")).get("/version");
  REQUIRE_FALSE(outcome);
  CHECK_THAT(outcome.error().message(), Contains("does not speak TLS") && Contains("http://"));
}

}  // namespace
}  // namespace longshore::kube
