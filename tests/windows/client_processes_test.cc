// Clients in processes of their own, some of which are killed in the midst of their calls: what the
// agent holds stays as it was.
#include <catch2/catch.hpp>
#include <deque>
#include <string>
#include <vector>

#include "tests/support/eventually.h"
#include "tests/support/test_client.h"
#include "tests/windows/agent_program.h"
#include "tests/windows/started_program.h"

using namespace longshore;
using namespace longshore::test;

namespace {

constexpr size_t kClients = 16;
constexpr size_t kKilled = 4;
constexpr size_t kCalls = 10'000;
// The others share them.
constexpr size_t kCallsOfOne = kCalls / (kClients - kKilled) + 1;
constexpr const char* kSayOfClients = "longshore.echo.v1.Echo/Say";

// "calls" of 0: until it is killed.
class ClientProcess {
 public:
  ClientProcess(const std::string& pipe, size_t calls)
      : program_("call_client", {pipe, kSayOfClients, "hello", std::to_string(calls), "4"},
                 folder_ / "output") {}

  bool calls() const { return output().find("calling") != std::string::npos; }
  void kill() { program_.kill(); }
  // Its exit code, and what it printed where that is not 0.
  std::string end() const {
    const auto code = program_.exit_code(60'000);
    if (!code) return "it does not end";
    return *code == 0 ? std::string() : std::to_string(*code) + ": " + output();
  }

 private:
  std::string output() const { return text_of(folder_ / "output"); }

  TemporaryDirectory folder_;
  StartedProgram program_;
};

void have_clients(const std::string& pipe) {
  std::deque<ClientProcess> killed;
  std::deque<ClientProcess> others;
  for (size_t i = 0; i < kKilled; ++i) killed.emplace_back(pipe, 0);
  for (size_t i = kKilled; i < kClients; ++i) others.emplace_back(pipe, kCallsOfOne);
  for (ClientProcess& each : killed) {
    REQUIRE(eventually([&] { return each.calls(); }));
    each.kill();
  }
  for (const ClientProcess& each : others) CHECK(each.end() == "");
}

}  // namespace

TEST_CASE("10,000 calls of 16 processes, some of which are killed, leave no handle and no memory",
          "[large]") {
  const AgentFolder folder;
  folder.configure();
  const AgentProgram agent(folder);
  CAPTURE(folder.log());
  REQUIRE(agent.serves());
  have_clients(folder.echo_pipe());  // first of everything
  size_t handles = 0;
  REQUIRE(eventually([&] { return std::exchange(handles, agent.handles()) == agent.handles(); }));
  const size_t memory = agent.memory();
  have_clients(folder.echo_pipe());
  // Threads that nobody needs any more end, and memory goes back, after some seconds.
  CHECK(eventually([&] { return agent.handles() <= handles + 16; }));
  CAPTURE(memory, agent.memory());
  CHECK(eventually([&] { return agent.memory() <= memory + (8u << 20); }));
  TestClient client(folder.echo_pipe());
  CHECK(client.call(kSayOfClients, "\x0a\x05hello")->code() == StatusCode::kOk);
}
