// Limits of memory in the configuration: each holds, whoever reaches it is told its key, and
// `longshorectl status` tells how much of it is used.
#include <catch2/catch.hpp>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "longshorectl_run.h"
#include "tests/integration/user_client.h"
#include "tests/support/test_client.h"

using namespace longshore;
using namespace longshore::test;
using Catch::Matchers::Contains;

namespace {

constexpr size_t kKiB = 1024;
// What a connection and a call hold without any message, as rpc/server.h tells.
constexpr size_t kConnection = 32 * kKiB;
constexpr size_t kCall = 4 * kKiB;

using Calls = std::vector<std::shared_ptr<Answer>>;

// Fills `room` with a connection and calls of which nothing but the head comes, and tells what
// answer the next one gets.
std::string refusal_beyond(TestClient& client, const std::string& method, size_t room,
                           Calls& calls) {
  const size_t fit = (room - kConnection) / kCall;
  const size_t before = calls.size();
  for (size_t i = 0; i <= fit; ++i) calls.push_back(client.open(method));
  const std::shared_ptr<Answer> beyond = calls.back();
  REQUIRE(client.run_until([&] { return beyond->finished(); }));
  for (size_t i = before; i + 1 < calls.size(); ++i) REQUIRE_FALSE(calls[i]->finished());
  CHECK(beyond->code() == StatusCode::kResourceExhausted);
  return beyond->text();
}

}  // namespace

TEST_CASE("Limits of memory are those of the configuration, and told as such") {
  const AgentDirectory directory;
  std::filesystem::permissions(std::filesystem::path(directory.config_file()).parent_path(),
                               std::filesystem::perms(0755));
  directory.configure(
      "mode = \"0666\"\n"
      "[agent.limits]\n"
      "max_memory = 2359296\n"                 // 2304 KiB
      "max_memory_per_endpoint = 2097152\n"    // 2048 KiB, of which 256 are guaranteed
      "max_memory_per_peer = 1572864\n"        // 1536 KiB
      "max_memory_per_connection = 1048576\n"  // 1024 KiB
      "max_request_bytes = 65536\n"
      "max_response_bytes = 65536\n");
  AgentProcess agent(directory);
  INFO(directory.log());
  REQUIRE(agent.serves());
  const std::string key = "agent.limits.max_memory";
  Calls calls;

  TestClient first(directory.echo_socket());
  CHECK_THAT(refusal_beyond(first, kEcho + "Say", 1024 * kKiB, calls),
             Contains("(" + key + "_per_connection)") && Contains("the limit is 1048576"));
  // The connections of a user share what the user may have.
  TestClient second(directory.echo_socket());
  CHECK_THAT(refusal_beyond(second, kEcho + "Say", (1536 - 1024) * kKiB, calls),
             Contains("(" + key + "_per_peer)") && Contains("the limit is 1572864"));
  const auto other_user = client_of(directory.echo_socket(), kNobody, kNobody);
  CHECK_THAT(
      refusal_beyond(*other_user, kEcho + "Say", (2048 - 1536) * kKiB, calls),
      Contains("the endpoint echo (" + key + "_per_endpoint)") && Contains("the limit is 2097152"));
  // Of another endpoint: what the first has left of the whole, and its own guaranteed part.
  TestClient elsewhere(directory.filesystem_socket("v1"));
  CHECK_THAT(refusal_beyond(elsewhere, "v1.Filesystem/PathExists",
                            (2304 - (2048 - 256) + 256) * kKiB, calls),
             Contains("(" + key + ")") && Contains("the limit is 2359296"));

  // The control socket has a share of its own, so that it can tell.
  const std::string status = run_at(directory.control_socket(), {"status"}).output;
  CHECK_THAT(status, Contains("2304 of 2304 KiB, 4 refused") &&
                         Contains("2048 of 2048 KiB, 3 refused") &&
                         Contains("768 of 2048 KiB, 1 refused"));
  CHECK_THAT(run_at(directory.control_socket(), {"status", "--output=json"}).output,
             Contains("\"memory\":{\"used_bytes\":\"2359296\",\"limit_bytes\":\"2359296\","
                      "\"refusals\":\"4\"}"));
}
