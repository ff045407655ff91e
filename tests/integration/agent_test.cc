// The agent from its start to its end, as its callers and its administrator see it.
#include <catch2/catch.hpp>
#include <filesystem>
#include <string>

#include "tests/support/agent_process.h"
#include "tests/support/test_client.h"
#include "tests/support/wire_writer.h"

using namespace longshore;
using namespace longshore::test;
using namespace std::chrono_literals;

TEST_CASE("The agent serves csi-proxy's clients until SIGTERM ends it") {
  AgentDirectory directory;
  AgentProcess agent(directory);
  INFO(directory.log());
  REQUIRE(agent.serves());

  TestClient client(directory.filesystem_socket("v1"));
  const auto there =
      client.call("v1.Filesystem/PathExists", WireWriter().text(1, directory.root()));
  CHECK(there->text() == "");
  CHECK(there->messages == std::vector<std::string>{WireWriter().number(1, 1)});

  CHECK(agent.stop() == 0);
  CHECK_FALSE(std::filesystem::exists(directory.filesystem_socket("v1")));
  CHECK_FALSE(std::filesystem::exists(directory.control_socket()));
}
