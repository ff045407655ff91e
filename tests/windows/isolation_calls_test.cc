// Calls of a module in a process of its own over the agent's pipes are the same as in the agent.
#include <windows.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "longshore/echo/v1.pb.h"
#include "longshore/windows/handle.hpp"
#include "tests/integration/echo_requests.h"
#include "tests/support/control_calls.h"
#include "tests/support/eventually.h"
#include "tests/support/test_client.h"
#include "tests/support/wire_writer.h"
#include "tests/windows/agent_program.h"

using namespace longshore;
using namespace longshore::test;
using namespace std::chrono_literals;
using Catch::Contains;

namespace {

const std::string kEcho = "longshore.echo.v1.Echo/";

// The modules echo and filesystem, the former in a process of its own.
struct AgentWithProcess {
  explicit AgentWithProcess(const std::string& more = {}) {
    folder.configure("isolation = 'process'\nmay_call = ['v1.Filesystem']\n" + more +
                     "\n[modules.filesystem]\nsettings.allowed_roots = ['" + (folder / "root") +
                     "']\n");
    agent.emplace(folder);
    INFO(folder.log());
    REQUIRE(agent->serves());
  }

  AgentFolder folder;
  std::optional<AgentProgram> agent;
};

}  // namespace

TEST_CASE("calls of every kind come back from a module's process over pipes") {
  AgentWithProcess world("settings.greeting = 'good evening'\n");
  TestClient client(world.folder.echo_pipe());
  const std::string large(4'000'000, 'x');
  for (const std::string method : {"Say", "SayAtOnce"}) {
    for (const std::string& text : {std::string("hello"), large}) {
      const auto answer = client.call(kEcho + method, say(text));
      CHECK(answer->text() == "");
      CHECK(answer->messages == std::vector<std::string>{say(text)});
    }
  }
  CHECK(client.call(kEcho + "WaitAsync", wait_for(5ms))->code() == StatusCode::kOk);
  echo::v1::FailRequest failure;
  failure.set_code(5);
  failure.set_text("there is no such thing");
  const auto failed = client.call(kEcho + "Fail", failure.SerializeAsString());
  CHECK(failed->code() == StatusCode::kNotFound);
  CHECK(failed->text() == "there is no such thing");
  failure.set_by_exception(true);
  CHECK(client.call(kEcho + "Fail", failure.SerializeAsString())->code() == StatusCode::kInternal);
  const auto described = client.call(kEcho + "Describe", "", with_timeout(10s));
  REQUIRE(described->code() == StatusCode::kOk);
  echo::v1::DescribeResponse response;
  REQUIRE(response.ParseFromString(described->messages.at(0)));
  CHECK_THAT(response.caller(), Contains("S-1-"));
  CHECK(response.greeting() == "good evening");
  CHECK(response.remaining_ms() > 0);
  CHECK(response.remaining_ms() <= 10000);
  CHECK(client.call(kEcho + "Count", count_to(1, 65 << 20))->code() ==
        StatusCode::kResourceExhausted);
}

TEST_CASE(
    "a stream of a module's process comes whole, and one that nobody reads holds up no other") {
  AgentWithProcess world;
  TestClient client(world.folder.echo_pipe());
  for (const char* method : {"Count", "CountAsync"}) {
    const auto whole = client.call(kEcho + method, count_to(1000, 10));
    REQUIRE(whole->code() == StatusCode::kOk);
    REQUIRE(whole->messages.size() == 1000);
    for (size_t i = 0; i < whole->messages.size(); ++i) {
      echo::v1::CountResponse response;
      REQUIRE(response.ParseFromString(whole->messages[i]));
      REQUIRE(response.number() == static_cast<int64_t>(i));
    }
  }
  // This one is not served as long as its client does not run: 20 MB stay where they are made.
  TestClient slow(world.folder.echo_pipe());
  const size_t memory = world.agent->memory();
  const auto stream = slow.start(kEcho + "Count", count_to(200, 100'000));
  CHECK(slow.run_until([&] { return !stream->messages.empty(); }));
  for (int i = 0; i < 100; ++i) {
    CHECK(client.call(kEcho + "Say", say("meanwhile"))->code() == StatusCode::kOk);
  }
  CHECK(world.agent->memory() < memory + (8u << 20));
  REQUIRE(slow.run_until([&] { return stream->finished(); }));
  CHECK(stream->code() == StatusCode::kOk);
  CHECK(stream->messages.size() == 200);
}

TEST_CASE("a cancellation, a deadline and an end of the client reach a module's process") {
  AgentWithProcess world;
  TestClient client(world.folder.echo_pipe());
  const auto late = client.call(kEcho + "Wait", wait_for(1h), with_timeout(100ms));
  CHECK(late->code() == StatusCode::kDeadlineExceeded);
  const auto cancelled = client.start(kEcho + "Wait", wait_for(1h));
  client.call(kEcho + "Say", say("after it"));
  cancelled->call->cancel();
  REQUIRE(client.run_until([&] { return cancelled->finished(); }));
  CHECK(cancelled->code() == StatusCode::kCancelled);
  for (const char* method : {"Count", "CountAsync"}) {
    const auto stream = client.start(kEcho + method, count_to(1'000'000'000, 1000));
    REQUIRE(client.run_until([&] { return stream->messages.size() > 10; }));
    stream->call->cancel();
    REQUIRE(client.run_until([&] { return stream->finished(); }));
  }
  {
    TestClient leaves(world.folder.echo_pipe());
    const auto left = leaves.start(kEcho + "Wait", wait_for(1h));
    leaves.call(kEcho + "Say", say("after it"));
  }
  // All have given their places back. The last cancellation may still wait in this client, behind
  // what it was writing.
  CHECK(eventually([&] {
    client.catch_up();
    return module_at(world.folder.control_pipe(), "echo").calls_running() == 0;
  }));
}

TEST_CASE("a module in a process calls one in the agent, and only what it may") {
  AgentWithProcess world;
  TestClient client(world.folder.echo_pipe());
  const std::string root = world.folder / "root";
  echo::v1::ForwardResponse outer;
  const auto there = client.call(kEcho + "Forward",
                                 forward("v1.Filesystem/PathExists", WireWriter().text(1, root)));
  REQUIRE(there->text() == "");
  REQUIRE(outer.ParseFromString(there->messages.at(0)));
  CHECK(outer.response().empty());  // it is not there
  const auto denied =
      client.call(kEcho + "Forward", forward("longshore.admin.v1.Admin/Reload", ""));
  CHECK(denied->code() == StatusCode::kPermissionDenied);
  CHECK(client.call(kEcho + "Forward", forward("v9.Absent/Do", ""))->code() ==
        StatusCode::kUnimplemented);
}

TEST_CASE("a module's process that is killed ends its calls, and the next one answers") {
  AgentWithProcess world;
  TestClient client(world.folder.echo_pipe());
  const auto running = client.start(kEcho + "Wait", wait_for(1h));
  client.call(kEcho + "Say", say("after it"));
  const int64_t id = module_at(world.folder.control_pipe(), "echo").process_id();
  REQUIRE(id > 0);
  {
    const Handle process(OpenProcess(PROCESS_TERMINATE, FALSE, static_cast<DWORD>(id)));
    REQUIRE(process);
    REQUIRE(TerminateProcess(process.get(), 9));
  }
  REQUIRE(client.run_until([&] { return running->finished(); }));
  CHECK(running->code() == StatusCode::kUnavailable);
  CHECK_THAT(running->text(), Contains("the process of the module echo"));
  CHECK(client.call(kEcho + "Say", say("again"))->code() == StatusCode::kOk);
  CHECK(module_at(world.folder.control_pipe(), "echo").process_restarts() == 1);
}
