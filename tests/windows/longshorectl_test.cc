// longshorectl.exe: asks an agent over its control pipe, and reads configuration with
// longshored.exe. `longshorectl service`: service_test.cc.
#include <catch2/catch.hpp>
#include <string>

#include "longshore/windows/handle.hpp"
#include "longshore/windows/wide_text.hpp"
#include "tests/windows/agent_program.h"

using namespace longshore;
using namespace longshore::test;
using Catch::Contains;

TEST_CASE("an administrator asks an agent on Windows") {
  AgentFolder folder;
  folder.configure();
  AgentProgram agent(folder);
  CAPTURE(folder.log());
  REQUIRE(agent.serves());
  const auto ctl = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"--socket", folder.control_pipe()});
    return run_program("longshorectl", words);
  };
  const auto status = ctl({"status"});
  CHECK(status.exit_code == 0);
  CHECK_THAT(status.output, Contains("serving") && Contains("npipe:////./pipe/"));
  const auto call = ctl({"call", "longshore.echo.v1.Echo/Say", "{\"text\": \"hello\"}"});
  CHECK(call.exit_code == 0);
  CHECK_THAT(call.output, Contains("hello"));
  folder.configure("max_concurrent_calls = 3\n");
  const auto reloaded = ctl({"reload"});
  CHECK(reloaded.exit_code == 0);
  CHECK_THAT(reloaded.output, Contains("echo"));
  const auto checked = ctl({"config", "check", folder.config_file()});
  CAPTURE(checked.output);
  CHECK(checked.exit_code == 0);
  // Of what longshored.exe printed, the lines' ends are no part of the text.
  CHECK_THAT(checked.output, Contains(": no findings") && !Contains("\\u000d"));
}

TEST_CASE("nobody at the control pipe is an error with advice") {
  AgentFolder folder;
  const auto status = run_program("longshorectl", {"--socket", folder.control_pipe(), "status"});
  CHECK(status.exit_code != 0);
  CHECK_THAT(status.output, Contains("there is no such pipe"));
}

TEST_CASE("a check tells of a pipe that another process has, and not of an agent's own") {
  AgentFolder folder;
  folder.configure();
  const auto check = [&] {
    return run_program("longshored", {"--check", "--config", folder.config_file()});
  };
  CHECK(check().exit_code == 0);
  {
    const Handle taken(CreateNamedPipeW(wide(folder.echo_pipe()).c_str(), PIPE_ACCESS_DUPLEX,
                                        PIPE_TYPE_BYTE, PIPE_UNLIMITED_INSTANCES, 0, 0, 0,
                                        nullptr));
    REQUIRE(taken);
    const auto found = check();
    CHECK(found.exit_code != 0);
    CHECK_THAT(found.output, Contains("cannot listen on the pipe \"" + folder.echo_pipe() +
                                      "\": another process has a pipe of this name; stop it"));
  }
  AgentProgram agent(folder);
  CAPTURE(folder.log());
  REQUIRE(agent.serves());
  CHECK(check().exit_code == 0);
}

TEST_CASE("a check tells of a folder of files where the names of pipes are meant") {
  const AgentFolder folder;
  write_file(folder.config_file(), "[agent]\ncontrol_dir = '" + (folder / "control") + "'\n");
  const auto found =
      run_program("longshored", {"config", "check", "--config", folder.config_file()});
  CHECK(found.exit_code == 2);
  CHECK_THAT(found.output, Contains(R"(control": the name of a pipe begins with \\.\pipe\)"));
}
