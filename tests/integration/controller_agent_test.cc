// A controller in a real agent: configured in a table of its own, listed and told of as modules
// are.
#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "tests/integration/control_requests.h"
#include "tests/integration/longshorectl_run.h"
#include "tests/support/agent_process.h"
#include "tests/support/build_tree.h"
#include "tests/support/csi_driver_process.h"
#include "tests/support/eventually.h"

using namespace longshore;
using namespace longshore::test;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

std::string example(const std::string& isolation, const std::string& more = "") {
  return "[controllers.beat]\nlibrary = \"" + built_module("example") + "\"\nisolation = \"" +
         isolation + "\"\n" + more;
}

// One that serves, and one whose driver's address is none.
std::string beat_and_probe() {
  return "[controllers.beat]\nlibrary = \"" + built_module("example") +
         "\"\nmay_call = [\"longshore.host.v1.Agent/WatchModules\"]\n" +
         "[controllers.probe]\nlibrary = \"" + built_module("livenessprobe") +
         "\"\nsettings.csi_address = \"127.0.0.1:50051\"\n";
}

}  // namespace

TEST_CASE("The example controller logs what becomes of modules, also over reloads") {
  for (const std::string isolation : {"in-process", "process"}) {
    INFO(isolation);
    AgentDirectory directory;
    const std::string controller =
        example(isolation, "may_call = [\"longshore.host.v1.Agent/WatchModules\"]\n");
    directory.configure(controller);
    AgentProcess agent(directory);
    REQUIRE(agent.serves());
    const auto logged = [&](const std::string& text) {
      return eventually([&] { return directory.log().find(text) != std::string::npos; });
    };
    CHECK(logged("echo is serving"));
    CHECK(logged("beat is serving"));
    directory.configure(controller + "[modules.second]\nlibrary = \"" + built_module("system") +
                        "\"\n");
    agent.signal(SIGHUP);
    CHECK(logged("second is serving"));
    directory.configure(controller);
    agent.signal(SIGHUP);
    CHECK(logged("second is gone"));
    CHECK_FALSE(module_of(directory, "beat").degraded());
    agent.signal(SIGTERM);
    CHECK(agent.wait() == 0);
  }
}

TEST_CASE("A controller that may not call is degraded, says why, and leaves in order") {
  for (const std::string isolation : {"in-process", "process"}) {
    INFO(isolation);
    AgentDirectory directory;
    directory.configure(example(isolation));
    AgentProcess agent(directory);
    REQUIRE(agent.serves());
    CHECK(eventually([&] { return module_of(directory, "beat").degraded(); }));
    const admin::v1::Module beat = module_of(directory, "beat");
    CHECK(beat.state() == "serving");
    CHECK(beat.reason() ==
          "the list of modules is lost: module:beat may not call "
          "longshore.host.v1.Agent/WatchModules; its may_call in the configuration does not name "
          "it");
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
    std::filesystem::copy_file(built_module("example"), library);
    CHECK(eventually([&] { return module_of(directory, "beat").state() == "serving"; }));
    agent.signal(SIGTERM);
    CHECK(agent.wait() == 0);
  }
}

TEST_CASE("A controller runs while its driver is ready, and says what it waits for") {
  for (const std::string isolation : {"in-process", "process"}) {
    INFO(isolation);
    AgentDirectory directory;
    Driver driver(directory);
    directory.configure(example(isolation,
                                "may_call = [\"longshore.host.v1.Agent/WatchModules\"]\n"
                                "wait_for_driver = \"" +
                                    driver.socket + "\"\n"));
    AgentProcess agent(directory);
    REQUIRE(agent.serves());
    const auto shows = [&](const std::string& state, const std::string& reason) {
      return eventually([&] {
        const std::string table =
            run_at(directory.control_socket(), {"controllers", "beat"}).output;
        return table.find(state) != table.npos && table.find(reason) != table.npos;
      });
    };
    CHECK(shows("waiting", "No such file or directory"));
    driver.answer("not-ready");
    driver.run();
    CHECK(shows("waiting", "is not ready"));
    driver.answer("ready");
    for (int i = 0; i < 2; ++i) {
      CHECK(shows("serving", ""));
      driver.kill();
      CHECK(shows("waiting", "the CSI driver at"));
      driver.run();
    }
    CHECK(shows("serving", ""));
    CHECK(directory.log().find("the controller stops") != std::string::npos);
    CHECK(module_of(directory, "beat").last_failure().empty());
    agent.signal(SIGTERM);
    CHECK(agent.wait() == 0);
  }
}

TEST_CASE("longshorectl tells of controllers apart, with what they fail of") {
  AgentDirectory directory;
  directory.configure(beat_and_probe());
  const AgentProcess agent(directory);
  REQUIRE(agent.serves());
  const auto run = [&](std::vector<std::string> words) {
    return run_at(directory.control_socket(), std::move(words));
  };
  const std::string table = run({"controllers"}).output;
  CHECK_THAT(table, StartsWith("CONTROLLER ") && Contains("\nbeat ") && Contains(" serving ") &&
                        Contains("\nprobe ") && Contains("127.0.0.1:50051") && !Contains("echo"));
  const auto one = run({"controllers", "probe"});
  CHECK_THAT(one.output, StartsWith("controller ") && Contains("restarts") &&
                             Contains("last failure") && Contains("STEP"));
  const auto json = run({"controllers", "beat", "--output=json"});
  CHECK_THAT(json.output, StartsWith("{\"modules\":[{\"name\":\"beat\"") &&
                              Contains("\"is_controller\":true") &&
                              Contains("\"since_unix_ms\":\"") && !Contains("probe"));
  CHECK_THAT(run({"modules"}).output, Contains("\nbeat ") && Contains("\necho "));
  const auto module = run({"controllers", "echo"});
  CHECK(module.exit_code == 4);
  CHECK_THAT(module.errors, Contains("find the controller \"echo\": the agent has none"));
  const auto completed = run_program({built_program("longshorectl"), "__complete", "--", "--socket",
                                      directory.control_socket(), "controllers", ""});
  CHECK(completed.output == "beat\nprobe\n");
  CHECK(eventually([&] {
    return std::regex_search(run({"controllers", "probe"}).output,
                             std::regex("\nrestarts {6}[1-9][0-9]*\n"));
  }));
}

TEST_CASE("longshorectl says why a controller tells nothing of an object") {
  AgentDirectory directory;
  directory.configure(beat_and_probe());
  const AgentProcess agent(directory);
  REQUIRE(agent.serves());
  const auto ask = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "controllers");
    return run_at(directory.control_socket(), std::move(words));
  };
  const auto check = [&](const std::string& name, const std::string& object,
                         const std::string& sentence) {
    const auto answer = ask({name, "--object", object});
    CAPTURE(name, object);
    CHECK(answer.exit_code == 4);
    CHECK(answer.output.empty());
    CHECK_THAT(answer.errors, StartsWith(sentence));
  };
  check("beat", "va/a", "FAILED_PRECONDITION: cannot ask the controller \"beat\"");
  check("probe", "va/a", "UNAVAILABLE: cannot ask the controller \"probe\": it does not run");
  check("echo", "va/a", "NOT_FOUND: cannot find the controller \"echo\"");
  check("beat", "va", "INVALID_ARGUMENT: cannot ask for the object \"va\": it is to be");
  check("beat", "", "INVALID_ARGUMENT: cannot ask for the object: it is to be");
  CHECK(ask({"--object", "va/a"}).exit_code == 1);
  CHECK(ask({"beat", "--object"}).exit_code == 1);
  const auto json = ask({"beat", "--object", "va", "--output=json"});
  CHECK(json.exit_code == 4);
  CHECK_THAT(json.errors, StartsWith("{\"code\":\"INVALID_ARGUMENT\""));
}

TEST_CASE("The end of a controller's process is told as a restart and what it ended of") {
  AgentDirectory directory;
  directory.configure(
      example("process", "may_call = [\"longshore.host.v1.Agent/WatchModules\"]\n"));
  const AgentProcess agent(directory);
  REQUIRE(agent.serves());
  const auto process = static_cast<pid_t>(module_of(directory, "beat").process_id());
  REQUIRE(process > 0);
  REQUIRE(::kill(process, SIGKILL) == 0);
  CHECK(eventually([&] { return module_of(directory, "beat").restarts() == 1; }));
  CHECK(module_of(directory, "beat").last_failure() == "its process was killed by SIGKILL");
}
