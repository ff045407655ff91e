// Reloads and live upgrades of an agent on Windows while clients call it: no call fails.
#include <catch2/catch.hpp>
#include <deque>
#include <filesystem>
#include <optional>
#include <set>
#include <string>

#include "tests/support/control_calls.h"
#include "tests/support/eventually.h"
#include "tests/support/is_long.h"
#include "tests/support/other_build.h"
#include "tests/support/steady_caller.h"
#include "tests/support/test_client.h"
#include "tests/support/wire_writer.h"
#include "tests/windows/agent_program.h"
#include "tests/windows/started_program.h"

using namespace longshore;
using namespace longshore::test;
using Catch::Contains;

namespace {

const std::string kEchoService = "longshore.echo.v1.Echo/";

int replacements() { return is_long() ? 1000 : 40; }

std::string file_of(const std::string& module) {
  return folder_of_programs() + "\\longshore-" + module + ".dll";
}

// An agent with all kinds of calls under way.
struct BusyAgent {
  explicit BusyAgent(const std::string& more = {}) {
    folder.configure(more);
    agent.emplace(folder);
    CAPTURE(folder.log());
    REQUIRE(agent->serves());
    for (const char* const method : {"Say", "SayAtOnce"}) {
      callers.emplace_back(folder.echo_pipe(), kEchoService + method, WireWriter().text(1, "here"));
    }
    for (const char* const method : {"Wait", "WaitAsync"}) {
      callers.emplace_back(folder.echo_pipe(), kEchoService + method, WireWriter().number(1, 2));
    }
    for (const SteadyCaller& each : callers) {
      REQUIRE(eventually([&] { return each.calls() > 0; }));
    }
  }

  void end_calls() {
    for (SteadyCaller& each : callers) CHECK(each.end() == "");
  }

  Upgraded upgrade(const std::string& file) const {
    return upgrade_at(folder.control_pipe(), "echo", file);
  }
  Upgraded upgrade_of(const std::string& module, const std::string& file) const {
    return upgrade_at(folder.control_pipe(), module, file);
  }

  void reload(const std::string& more) const {
    folder.configure(more);
    TestClient client(folder.control_pipe());
    const auto answer = client.call("longshore.admin.v1.Admin/Reload", "");
    INFO(answer->text());
    REQUIRE(answer->code() == StatusCode::kOk);
  }

  std::string greeting() const {
    TestClient client(folder.echo_pipe());
    return client.call(kEchoService + "Describe", "")->messages.at(0);
  }

  AgentFolder folder;
  std::optional<AgentProgram> agent;
  std::deque<SteadyCaller> callers;
};

}  // namespace

TEST_CASE("no call over pipes fails during upgrades between two files, and nothing piles up",
          "[large]") {
  const bool own_process = GENERATE(false, true);
  CAPTURE(own_process);
  BusyAgent busy(own_process ? "isolation = \"process\"\n" : "");
  const std::string other = busy.folder / "longshore-echo-2.dll";
  write_other_build(file_of("echo"), other);
  std::set<std::string> versions;
  const auto replace = [&](int i) {
    const Upgraded upgraded = busy.upgrade(i % 2 == 0 ? other : file_of("echo"));
    INFO(upgraded.text);
    REQUIRE(upgraded.code == StatusCode::kOk);
    REQUIRE(upgraded.response.changed());
    versions.insert(upgraded.response.version());
  };
  for (int i = 0; i < 10; ++i) replace(i);
  const size_t handles = busy.agent->handles();
  const size_t memory = busy.agent->memory();
  const int count = own_process ? replacements() / 4 : replacements();
  for (int i = 0; i < count; ++i) replace(i);
  CHECK(versions == std::set<std::string>{"0.1.0", "9.9.9"});
  CHECK(module_at(busy.folder.control_pipe(), "echo").upgrades() == count + 10);
  busy.end_calls();
  CHECK(eventually([&] { return busy.agent->handles() <= handles + 16; }));
  CAPTURE(memory, busy.agent->memory());
  CHECK(eventually([&] { return busy.agent->memory() <= memory + (4u << 20); }));
}

TEST_CASE("files that are no next version leave the old one serving on Windows") {
  BusyAgent busy;
  const std::string before = module_at(busy.folder.control_pipe(), "echo").sha256();
  const Upgraded stranger = busy.upgrade(file_of("trial"));
  CHECK(stranger.code == StatusCode::kInvalidArgument);
  CHECK_THAT(stranger.text, Contains("is the module"));
  write_file(busy.folder / "text.dll", "no module\n");
  CHECK(busy.upgrade(busy.folder / "text.dll").code != StatusCode::kOk);
  CHECK(busy.upgrade("relative.dll").code == StatusCode::kInvalidArgument);
  CHECK(busy.upgrade(busy.folder / "none.dll").code != StatusCode::kOk);
  CHECK(busy.upgrade_of("ech", "").code == StatusCode::kNotFound);
  busy.end_calls();
  CHECK(module_at(busy.folder.control_pipe(), "echo").sha256() == before);
}

TEST_CASE("reloads that change a module fail no call, and one with a mistake changes nothing") {
  const bool own_process = GENERATE(false, true);
  CAPTURE(own_process);
  const std::string isolation = own_process ? "isolation = 'process'\n" : "";
  BusyAgent busy(isolation);
  for (int i = 0; i < replacements() / 4; ++i) {
    busy.reload(isolation + "settings.greeting = \"number " + std::to_string(i) + "\"\n");
    CHECK_THAT(busy.greeting(), Contains("number " + std::to_string(i)));
  }
  const std::string last = "number " + std::to_string(replacements() / 4 - 1);
  busy.folder.configure("no_such_key = 1\n");
  TestClient client(busy.folder.control_pipe());
  const auto refused = client.call("longshore.admin.v1.Admin/Reload", "");
  CHECK(refused->code() != StatusCode::kOk);
  CHECK_THAT(refused->text(), Contains("no_such_key"));
  CHECK_THAT(busy.greeting(), Contains(last));
  busy.end_calls();
}

TEST_CASE("modules with pipes of their own come and go by reloads while another is called") {
  BusyAgent busy;
  const std::string pipe = busy.folder.csi_proxy_pipe("filesystem-v1");
  const TemporaryDirectory root;
  const auto code = [&] {
    TestClient client(pipe);
    return client.call("v1.Filesystem/PathExists", WireWriter().text(1, root.path().string()))
        ->code();
  };
  for (int i = 0; i < replacements() / 8; ++i) {
    busy.reload("[modules.filesystem]\nsettings.allowed_roots = ['" + root.path().string() +
                "']\n");
    CHECK(code() == StatusCode::kOk);
    busy.reload("");
    CHECK_THROWS(TestClient(pipe));
  }
  busy.end_calls();
}

TEST_CASE("a module whose file comes late is served then, while another is called") {
  const TemporaryDirectory modules;
  const std::string file = modules / "longshore-filesystem.dll";
  BusyAgent busy("[modules.filesystem]\nlibrary = '" + file + "'\n");
  const std::string pipe = busy.folder.csi_proxy_pipe("filesystem-v1");
  CHECK_THAT(module_at(busy.folder.control_pipe(), "filesystem").reason(),
             Contains("cannot find the module"));
  std::filesystem::copy_file(file_of("filesystem"), file);
  CHECK(eventually(
      [&] { return module_at(busy.folder.control_pipe(), "filesystem").state() == "serving"; }));
  TestClient client(pipe);
  CHECK(client.call("v1.Filesystem/Anything", "")->code() == StatusCode::kUnimplemented);
  busy.end_calls();
}
