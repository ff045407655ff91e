// When rights are decided on: by the head alone, and again once the request is complete, since a
// reload may have taken them meanwhile.
#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <vector>

#include "tests/integration/echo_requests.h"
#include "tests/integration/permissions_world.h"
#include "tests/integration/user_client.h"

using namespace longshore;
using namespace longshore::test;

namespace {

const std::string kOfNobody = "users = [\"nobody\"]\nmethods = [\"*\"]\n";

// A call of which the agent has the head and a whole message, and waits for the end.
std::shared_ptr<Answer> open_without_end(TestClient& client) {
  auto answer = client.open(kDo);
  answer->call->send(do_request("disk 1"));
  // What comes after it on the connection is answered: its head has been decided on.
  REQUIRE(client.call(kSay, say("after it"))->code() == StatusCode::kOk);
  REQUIRE_FALSE(answer->finished());
  return answer;
}

const Answer& end_of(TestClient& client, const std::shared_ptr<Answer>& answer) {
  answer->call->half_close();
  REQUIRE(client.run_until([&] { return answer->finished(); }));
  return *answer;
}

// What becomes of a call of which nothing but the head is sent. Without a decision it would end
// with DEADLINE_EXCEEDED, much later.
std::shared_ptr<Answer> answer_to_head(TestClient& client, const std::string& method) {
  auto answer = client.open(method);
  REQUIRE(client.run_until([&] { return answer->finished(); }));
  return answer;
}

}  // namespace

TEST_CASE("What a reload takes between the head of a call and its end is refused at the end") {
  ServingWorld world;
  const auto nobody = client_of(world.socket(), kNobody, kNobody);
  const auto daemon = client_of(world.socket(), kDaemon, kDaemon);

  struct Rules {
    std::string of_module;
    std::string of_endpoint;
    std::string key;  // that the refusal names
  };
  for (const Rules& rules : {
           Rules{{}, "[endpoints.all.permissions.one]\n" + kOfNobody, "endpoints.all.permissions"},
           Rules{"[modules.hostile.permissions.one]\n" + kOfNobody,
                 {},
                 "modules.hostile.permissions"},
       }) {
    INFO(rules.key);
    world.configure({}, {});
    REQUIRE(world.agent.reload());
    const auto allowed = open_without_end(*nobody);
    const auto revoked = open_without_end(*daemon);
    world.configure(rules.of_module, rules.of_endpoint);
    REQUIRE(world.agent.reload());
    const Answer& refused = end_of(*daemon, revoked);
    CHECK(refused.code() == StatusCode::kPermissionDenied);
    CHECK(has(refused.text(), "uid:1 may not call hostile.v1.Hostile/Do; " + rules.key));
    CHECK(refused.messages.empty());
    CHECK(end_of(*nobody, allowed).code() == StatusCode::kOk);
  }

  world.configure({}, {});
  REQUIRE(world.agent.reload());
  const auto denied = open_without_end(*nobody);
  world.configure("deny_methods = [\"hostile.v1.Hostile/Do\"]\n", {});
  REQUIRE(world.agent.reload());
  CHECK(end_of(*nobody, denied).code() == StatusCode::kPermissionDenied);
  CHECK(has(denied->text(), "deny_methods"));
  nobody->close();
  daemon->close();
  CHECK(world.agent.stop() == 0);
}

TEST_CASE("A service that a reload takes from its socket takes no request that began before") {
  ServingWorld world;
  TestClient client(world.socket());
  const auto open = open_without_end(client);
  world.services = "\"longshore.echo.v1.Echo\"";
  world.configure({}, {});
  REQUIRE(world.agent.reload());
  const Answer& refused = end_of(client, open);
  CHECK(refused.code() == StatusCode::kUnimplemented);
  CHECK(refused.text() ==
        "this endpoint does not serve the service \"hostile.v1.Hostile\" any more");
  CHECK(refused.messages.empty());
  // It is the socket that does not serve it: the module goes on.
  CHECK(TestClient(world.directory.control_socket()).call(kDo, "")->code() == StatusCode::kOk);
  client.close();
  CHECK(world.agent.stop() == 0);
}

TEST_CASE("A head is refused before a byte of its request has come") {
  std::string of_module, of_endpoint;
  SECTION("by the rules of the socket") {
    of_endpoint = "[endpoints.all.permissions.one]\n" + kOfNobody;
  }
  SECTION("by the rules of the module") {
    of_module = "[modules.hostile.permissions.one]\n" + kOfNobody;
  }
  SECTION("by deny_methods") { of_module = "deny_methods = [\"hostile.v1.Hostile/Do\"]\n"; }
  ServingWorld world(of_module, of_endpoint);
  const auto daemon = client_of(world.socket(), kDaemon, kDaemon);
  CHECK(answer_to_head(*daemon, kDo)->code() == StatusCode::kPermissionDenied);
  CHECK(answer_to_head(*daemon, "hostile.v1.Hostile/Nothing")->code() ==
        StatusCode::kUnimplemented);
  CHECK(answer_to_head(*daemon, "v1.Filesystem/PathExists")->code() == StatusCode::kUnimplemented);
  // Each once, without an object: nobody has read one.
  const auto lines = world.audited(1);
  REQUIRE(lines.size() == 1);
  CHECK(has(lines[0], "\"caller\":\"uid:1\""));
  CHECK(has(lines[0], R"("method":"hostile.v1.Hostile/Do","code":"PERMISSION_DENIED")"));
  daemon->close();
  CHECK(world.agent.stop() == 0);
}
