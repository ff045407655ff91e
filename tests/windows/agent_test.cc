// longshored.exe as users have it: a process, named pipes, clients in another process.
#include <windows.h>

#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <vector>

#include "longshore/windows/wide_text.hpp"
#include "tests/support/eventually.h"
#include "tests/support/test_client.h"
#include "tests/windows/agent_program.h"

using namespace longshore;
using namespace longshore::test;
using Catch::Contains;

namespace {

const std::string kSay = "longshore.echo.v1.Echo/Say";
const std::string kHello = "\x0a\x05hello";

Handle open_raw(const std::string& pipe) {
  const std::wstring name = wide(pipe);
  HANDLE handle = INVALID_HANDLE_VALUE;
  do {
    handle = CreateFileW(name.c_str(), GENERIC_READ | GENERIC_WRITE, 0, nullptr, OPEN_EXISTING, 0,
                         nullptr);
  } while (handle == INVALID_HANDLE_VALUE && GetLastError() == ERROR_PIPE_BUSY &&
           WaitNamedPipeW(name.c_str(), 10'000));
  return Handle(handle);
}

void expect_echo(const std::string& pipe) {
  TestClient client(pipe);
  const auto answer = client.call(kSay, kHello);
  REQUIRE(answer->code() == StatusCode::kOk);
  CHECK(answer->messages == std::vector<std::string>{kHello});
}

struct RunningAgent {
  explicit RunningAgent(const std::string& more = {}) {
    folder.configure(more);
    agent = std::make_unique<AgentProgram>(folder);
    CAPTURE(folder.log());
    REQUIRE(agent->serves());
  }
  AgentFolder folder;
  std::unique_ptr<AgentProgram> agent;
};

}  // namespace

TEST_CASE("an agent on Windows serves its pipes, each its own services") {
  RunningAgent running;
  expect_echo(running.folder.echo_pipe());
  TestClient other(running.folder.echo_pipe());
  CHECK(other.call("longshore.admin.v1.Admin/GetStatus", "")->code() ==
        StatusCode::kUnimplemented);  // a pipe is a capability
  TestClient control(running.folder.control_pipe());
  CHECK(control.call("longshore.admin.v1.Admin/GetStatus", "")->code() == StatusCode::kOk);
}

TEST_CASE("a client is known by its SID, and its process") {
  RunningAgent running("permissions.nobody = {users = [\"S-1-5-19\"], methods = [\"*\"]}\n");
  TestClient client(running.folder.echo_pipe());
  const auto answer = client.call(kSay, kHello);
  CHECK(answer->code() == StatusCode::kPermissionDenied);
  CHECK_THAT(answer->text(), Contains("modules.echo.permissions"));
}

// As csi-proxy's Go clients do, each of which opens the pipe once more to see that it is there.
TEST_CASE("clients that say nothing, or only look at the pipe, keep nobody out") {
  RunningAgent running;
  std::vector<Handle> silent;
  for (int i = 0; i < 20; ++i) {
    silent.push_back(open_raw(running.folder.echo_pipe()));
    REQUIRE(silent.back());
  }
  for (int i = 0; i < 200; ++i) REQUIRE(open_raw(running.folder.echo_pipe()));
  expect_echo(running.folder.echo_pipe());
}

TEST_CASE("what is no HTTP/2 ends its own connection only") {
  RunningAgent running;
  const Handle pipe = open_raw(running.folder.echo_pipe());
  DWORD count = 0;
  const std::string noise(4096, 'x');
  REQUIRE(WriteFile(pipe.get(), noise.data(), static_cast<DWORD>(noise.size()), &count, nullptr));
  char answer[4096];
  while (ReadFile(pipe.get(), answer, sizeof(answer), &count, nullptr)) continue;
  CHECK(GetLastError() == ERROR_BROKEN_PIPE);
  expect_echo(running.folder.echo_pipe());
}

TEST_CASE("messages larger than a pipe's buffers come whole") {
  RunningAgent running;
  TestClient client(running.folder.echo_pipe());
  const std::string text(3 << 20, 'x');
  const std::string request = "\x0a\x80\x80\xc0\x01" + text;
  const auto answer = client.call(kSay, request);
  REQUIRE(answer->code() == StatusCode::kOk);
  CHECK(answer->messages.front() == request);
}

TEST_CASE("a second agent on the same state starts nothing") {
  RunningAgent running;
  AgentProgram second(running.folder);
  CHECK_FALSE(second.serves());
  CHECK_THAT(running.folder.log(), Contains("has it"));
  expect_echo(running.folder.echo_pipe());
}

TEST_CASE("an agent that is killed leaves nothing in the way of the next") {
  RunningAgent running;
  expect_echo(running.folder.echo_pipe());
  running.agent->kill();
  running.agent = std::make_unique<AgentProgram>(running.folder);
  REQUIRE(running.agent->serves());
  expect_echo(running.folder.echo_pipe());
}

TEST_CASE("calls and clients that come and go leave no handle", "[large]") {
  RunningAgent running;
  const std::string pipe = running.folder.echo_pipe();
  const auto round = [&] {
    std::vector<std::unique_ptr<TestClient>> clients;
    for (int i = 0; i < 16; ++i) clients.push_back(std::make_unique<TestClient>(pipe));
    for (int call = 0; call < 20; ++call) {
      std::vector<std::shared_ptr<Answer>> answers;
      for (const auto& client : clients) answers.push_back(client->start(kSay, kHello));
      for (size_t i = 0; i < clients.size(); ++i) {
        REQUIRE(clients[i]->run_until([&] { return answers[i]->finished(); }));
        CHECK(answers[i]->code() == StatusCode::kOk);
      }
    }
    for (const auto& client : clients) static_cast<void>(client->start(kSay, kHello));
  };  // and all are gone in the middle of a call
  round();
  constexpr size_t kSome = 16;
  size_t before = 0;
  REQUIRE(eventually([&] {
    const size_t last = std::exchange(before, running.agent->handles());
    return last == before;
  }));
  for (int i = 0; i < 10; ++i) round();
  CHECK(eventually([&] { return running.agent->handles() <= before + kSome; }));
  expect_echo(pipe);
}
