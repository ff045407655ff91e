// A controller in a real agent: configured in a table of its own, listed and told of as modules
// are.
#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>
#include <string>

#include "tests/integration/control_requests.h"
#include "tests/support/agent_process.h"
#include "tests/support/build_tree.h"
#include "tests/support/eventually.h"

using namespace longshore;
using namespace longshore::test;

TEST_CASE("A controller without its host service is degraded, says why, and leaves in order") {
  for (const std::string isolation : {"in-process", "process"}) {
    INFO(isolation);
    AgentDirectory directory;
    directory.configure("[controllers.beat]\nlibrary = \"" + built_module("heartbeat") +
                        "\"\nisolation = \"" + isolation + "\"\n");
    AgentProcess agent(directory);
    REQUIRE(agent.serves());
    CHECK(eventually([&] { return module_of(directory, "beat").degraded(); }));
    const admin::v1::Module beat = module_of(directory, "beat");
    CHECK(beat.state() == "serving");
    CHECK(beat.reason() ==
          "the heart is lost: no enabled module serves the method "
          "longshore.heartbeat.v1.Heartbeat/Watch");
    agent.signal(SIGTERM);
    CHECK(agent.wait() == 0);
  }
}

TEST_CASE("A controller whose file is not there fails alone, and begins when it is") {
  for (const std::string isolation : {"in-process", "process"}) {
    INFO(isolation);
    AgentDirectory directory;
    const std::string library = directory / "beat.so";
    directory.configure("[controllers.beat]\nlibrary = \"" + library + "\"\nisolation = \"" +
                        isolation + "\"\n");
    AgentProcess agent(directory);
    REQUIRE(agent.serves());
    CHECK(module_of(directory, "beat").state() == "failed");
    CHECK(module_of(directory, "echo").state() == "serving");
    std::filesystem::copy_file(built_module("heartbeat"), library);
    CHECK(eventually([&] { return module_of(directory, "beat").state() == "serving"; }));
    agent.signal(SIGTERM);
    CHECK(agent.wait() == 0);
  }
}
