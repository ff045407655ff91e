// What a generic client of the gRPC C++ library makes of an agent whose modules it has never heard
// of.
#include <catch2/catch.hpp>

#include "tests/support/agent_process.h"
#include "tests/support/build_tree.h"
#include "tests/support/program_run.h"

using namespace longshore::test;

namespace {

ProgramRun ask(const std::string& socket, std::vector<std::string> arguments = {}) {
  arguments.insert(arguments.begin(), {built_program("grpc_generic_client"), socket});
  return run_program(std::move(arguments));
}

}  // namespace

TEST_CASE("A generic gRPC client finds a module's services by reflection and calls them") {
  AgentDirectory directory;
  AgentProcess agent(directory);
  INFO(directory.log());
  REQUIRE(agent.serves());

  const auto services = ask(directory.echo_socket());
  INFO(services.errors);
  CHECK(services.exit_code == 0);
  CHECK(services.output.find("longshore.echo.v1.Echo\n") != std::string::npos);
  CHECK(services.output.find("Filesystem") == std::string::npos);  // not on this socket

  const auto said =
      ask(directory.echo_socket(), {"longshore.echo.v1.Echo", "Say", R"({"text": "hello"})"});
  INFO(said.errors);
  CHECK(said.exit_code == 0);
  CHECK(said.output == "{\"text\":\"hello\"}\n");

  const auto exists =
      ask(directory.filesystem_socket("v1"),
          {"v1.Filesystem", "PathExists", "{\"path\": \"" + directory.root() + "\"}"});
  INFO(exists.errors);
  CHECK(exists.output == "{\"exists\":true}\n");

  const auto refused =
      ask(directory.filesystem_socket("v1"), {"v1.Filesystem", "PathExists", R"({"path": "x"})"});
  CHECK(refused.exit_code == 1);
  CHECK(refused.errors.find("\"x\"") != std::string::npos);
  CHECK(agent.stop() == 0);
}
