// Calls of a module in a process of its own are the same as in the agent.
#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "isolation_world.h"
#include "longshore/echo/v1.pb.h"
#include "tests/integration/control_requests.h"
#include "tests/integration/echo_requests.h"
#include "tests/support/wire_writer.h"

using namespace longshore;
using namespace longshore::test;
using namespace std::chrono_literals;

TEST_CASE("Unary calls of every kind answer as they do in the agent") {
  IsolatedAgent world("settings.greeting = \"good evening\"\n");
  TestClient client(world.directory.echo_socket());
  for (const std::string method : {"Say", "SayAtOnce"}) {
    const auto answer = client.call(kEcho + method, say("hello"));
    CHECK(answer->text() == "");
    CHECK(answer->messages == std::vector<std::string>{say("hello")});
  }
  CHECK(client.call(kEcho + "Say", "")->messages == std::vector<std::string>{""});
  CHECK(client.call(kEcho + "WaitAsync", wait_for(5ms))->code() == StatusCode::kOk);

  echo::v1::FailRequest failure;
  failure.set_code(5);
  failure.set_text("there is no such thing");
  const auto failed = client.call(kEcho + "Fail", failure.SerializeAsString());
  CHECK(failed->code() == StatusCode::kNotFound);
  CHECK(failed->text() == "there is no such thing");
  failure.set_by_exception(true);
  CHECK(client.call(kEcho + "Fail", failure.SerializeAsString())->code() == StatusCode::kInternal);

  rpc::ClientCallOptions options = with_timeout(10s);
  options.metadata.push_back({"x-request-id", "my-own-id"});
  const auto described = client.call(kEcho + "Describe", "", options);
  REQUIRE(described->code() == StatusCode::kOk);
  echo::v1::DescribeResponse response;
  REQUIRE(response.ParseFromString(described->messages.at(0)));
  CHECK(response.caller() == "uid:0");
  CHECK(response.on_behalf_of() == "uid:0");
  CHECK(response.request_id() == "my-own-id");
  CHECK(response.greeting() == "good evening");
  CHECK(response.remaining_ms() > 5000);
  CHECK(response.remaining_ms() <= 10000);
  client.close();
  CHECK(world.agent->stop() == 0);
}

TEST_CASE("Large requests and answers go through, and too large ones are refused") {
  IsolatedAgent world;
  TestClient client(world.directory.echo_socket());
  const std::string large(4'000'000, 'x');
  for (int i = 0; i < 5; ++i) {
    const auto answer = client.call(kEcho + "Say", say(large));
    CHECK(answer->code() == StatusCode::kOk);
    CHECK(answer->messages == std::vector<std::string>{say(large)});
  }
  const auto too_large = client.call(kEcho + "Count", count_to(1, 65 << 20));
  CHECK(too_large->code() == StatusCode::kResourceExhausted);
  CHECK(client.call(kEcho + "Say", say("still here"))->code() == StatusCode::kOk);
}

TEST_CASE("A stream comes whole and in order, and a reader who does not read holds up nobody",
          "[plain]") {
  IsolatedAgent world;
  TestClient client(world.directory.echo_socket());
  for (const char* method : {"Count", "CountAsync"}) {
    const auto whole = client.call(kEcho + method, count_to(5000, 10));
    REQUIRE(whole->code() == StatusCode::kOk);
    REQUIRE(whole->messages.size() == 5000);
    for (int64_t i = 0; i < 5000; ++i) {
      echo::v1::CountResponse response;
      REQUIRE(response.ParseFromString(whole->messages[static_cast<size_t>(i)]));
      REQUIRE(response.number() == i);
    }
  }
  // This one is not served as long as its client does not run: 200 MB, or a tenth where memory is
  // not judged, which a busy node gets through in the call's time with sanitizers too.
  constexpr int kMessages = kMemoryTellsLeaks ? 2000 : 200;
  TestClient slow(world.directory.echo_socket());
  const auto stream = slow.start(kEcho + "Count", count_to(kMessages, 100'000));
  CHECK(slow.run_until([&] { return !stream->messages.empty(); }));
  const pid_t process = world.process_of("echo");
  for (int i = 0; i < 100; ++i) {
    CHECK(client.call(kEcho + "Say", say("meanwhile"))->code() == StatusCode::kOk);
  }
  // What nobody takes stays where it is made.
  if (kMemoryTellsLeaks) {
    CHECK(own_memory_kib(process) < 50'000);
    CHECK(own_memory_kib(world.agent->id()) < 100'000);
  }
  REQUIRE(slow.run_until([&] { return stream->finished(); }));
  INFO(stream->text());
  CHECK(stream->code() == StatusCode::kOk);
  CHECK(stream->messages.size() == kMessages);
}

TEST_CASE("A cancellation and a deadline reach the module in its process") {
  IsolatedAgent world;
  TestClient client(world.directory.echo_socket());
  const auto begun = std::chrono::steady_clock::now();
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
  CHECK(std::chrono::steady_clock::now() - begun < 20s);
  // All have given their places back, which the end would otherwise wait for.
  CHECK(world.agent->stop() == 0);
  CHECK(std::chrono::steady_clock::now() - begun < 25s);
  CHECK(world.directory.log().find("did not end") == std::string::npos);
}

TEST_CASE("A module in a process calls others, in the agent and in processes of their own") {
  IsolatedAgent world({}, "tells_caller");
  TestClient client(world.directory.echo_socket());
  echo::v1::ForwardResponse outer;
  const auto there = client.call(
      kEcho + "Forward",
      forward("v1.Filesystem/PathExists", WireWriter().text(1, world.directory.root())));
  REQUIRE(there->text() == "");
  REQUIRE(outer.ParseFromString(there->messages.at(0)));
  CHECK(outer.response() == WireWriter().number(1, 1).bytes());
  const auto other = client.call(kEcho + "Forward", forward(kHostile, ""));
  REQUIRE(other->text() == "");
  REQUIRE(outer.ParseFromString(other->messages.at(0)));
  CHECK(outer.response().find("module:echo") != std::string::npos);
  // A large request, which ends in an error of the callee's.
  const auto large = client.call(
      kEcho + "Forward",
      forward("v1.Filesystem/PathExists", WireWriter().text(1, "/" + std::string(3'000'000, 'y'))));
  CHECK(large->code() == StatusCode::kInvalidArgument);

  const auto denied =
      client.call(kEcho + "Forward", forward("longshore.admin.v1.Admin/Reload", ""));
  CHECK(denied->code() == StatusCode::kPermissionDenied);
  const auto absent = client.call(kEcho + "Forward", forward("v9.Absent/Do", ""));
  CHECK(absent->code() == StatusCode::kUnimplemented);
  client.close();
  CHECK(world.agent->stop() == 0);
}

TEST_CASE("The end of a call ends what its module has called, and so does the end of a process") {
  IsolatedAgent world({}, "hangs_on_request");
  TestClient client(world.directory.echo_socket());
  // A call that has not reached the process that is killed would wait for the next one.
  size_t heard = 0;
  const auto await_hanging = [&] {
    REQUIRE(eventually([&] {
      const size_t found = world.directory.log().find("the call hangs", heard);
      if (found == std::string::npos) return false;
      heard = found + 1;
      return true;
    }));
  };
  const auto late = client.call(kEcho + "Forward", forward(kHostile, "hang"), with_timeout(2s));
  CHECK(late->code() == StatusCode::kDeadlineExceeded);
  await_hanging();
  const auto running = client.start(kEcho + "Forward", forward(kHostile, "hang"));
  client.call(kEcho + "Say", say("after it"));
  await_hanging();
  kill(world.process_of("hostile"), SIGKILL);
  REQUIRE(client.run_until([&] { return running->finished(); }));
  CHECK(running->code() == StatusCode::kUnavailable);
  CHECK(running->text().starts_with("the process of the module hostile was killed by SIGKILL"));
  // Again, and now it is the caller whose process ends.
  const auto lost = client.start(kEcho + "Forward", forward(kHostile, "hang"));
  client.call(kEcho + "Say", say("after it"));
  kill(world.process_of("echo"), SIGKILL);
  REQUIRE(client.run_until([&] { return lost->finished(); }));
  CHECK(lost->text().starts_with("the process of the module echo was killed by SIGKILL"));
  CHECK(client.call(kEcho + "Say", say("again"))->code() == StatusCode::kOk);
  client.close();
  CHECK(world.agent->stop() == 0);
}

TEST_CASE("csi-proxy's groups answer the same in the agent and in processes of their own") {
  // Everything that an agent answers to the same calls, its own folder's name left out.
  const auto answers = [](const std::string& isolation) {
    AgentDirectory directory;
    std::filesystem::create_directory(directory / "conf.d");
    write_file(directory / "conf.d/isolation.toml",
               "[modules.filesystem]\nisolation = \"" + isolation + "\"\n[modules.system]\n" +
                   "isolation = \"" + isolation + "\"\nlibrary = \"longshore-system\"\n");
    AgentProcess agent(directory);
    REQUIRE(agent.serves());
    CHECK(children_of(agent.id()).size() == (isolation == "process" ? 2 : 0));
    const std::string& root = directory.root();
    std::string all;
    const auto add = [&](TestClient& client, const std::string& method, std::string request) {
      const auto answer = client.call(method, std::move(request));
      all += method + ": " + status_code_name(answer->code()) + " " + answer->text();
      for (const std::string& message : answer->messages) all += " [" + message + "]";
      all += '\n';
    };
    const auto path = [&](const std::string& name) -> std::string {
      return WireWriter().text(1, root + name);
    };
    TestClient files(directory.filesystem_socket("v1"));
    for (const std::string& method :
         std::vector<std::string>{"PathExists", "Mkdir", "Mkdir", "PathExists", "IsSymlink"}) {
      add(files, "v1.Filesystem/" + method, path("/a/b"));
      add(files, "v1.Filesystem/" + method, path("/absent/../x"));
      add(files, "v1.Filesystem/" + method, WireWriter().text(1, "/etc"));
      add(files, "v1.Filesystem/" + method, "\xff\xff");
    }
    add(files, "v1.Filesystem/CreateSymlink",
        WireWriter().text(1, root + "/a").text(2, root + "/l"));
    add(files, "v1.Filesystem/IsSymlink", path("/l"));
    add(files, "v1.Filesystem/Rmdir", path("/a"));
    add(files, "v1.Filesystem/Rmdir", WireWriter().text(1, root + "/a").number(2, 1));
    TestClient services(directory / "run/csi-proxy/system-v1alpha1/csi-proxy-system-v1alpha1.sock");
    add(services, "v1alpha1.System/GetBIOSSerialNumber", "");
    add(services, "v1alpha1.System/GetService", WireWriter().text(1, "no such service"));
    add(services, "v1alpha1.System/StopService", WireWriter().text(1, "sshd"));
    CHECK(agent.stop() == 0);
    for (size_t at = all.find(root); at != std::string::npos; at = all.find(root)) {
      all.replace(at, root.size(), "<root>");
    }
    return all;
  };
  const std::string in_agent = answers("in-process");
  CHECK(in_agent.find("OK") != std::string::npos);
  CHECK(answers("process") == in_agent);
}

TEST_CASE("What a module does against its contract is counted and shown as in the agent") {
  IsolatedAgent world({}, "stale_handles");
  TestClient client(world.hostile_socket());
  const std::string last = "grant: there has been no such invocation";
  const auto violations = [&] { return module_of(world.directory, "hostile").violations(); };
  CHECK(client.call(kHostile, "")->code() == StatusCode::kOk);
  REQUIRE(eventually([&] { return violations() == 30; }));
  CHECK(module_of(world.directory, "hostile").last_violation() == last);
  // Those of a process that has ended stay, and its next one's come to them.
  kill(world.process_of("hostile"), SIGKILL);
  REQUIRE(eventually([&] { return client.call(kHostile, "")->code() == StatusCode::kOk; }));
  REQUIRE(eventually([&] { return violations() == 60; }));
  client.close();
  CHECK(world.agent->stop() == 0);
}

TEST_CASE("What a module logs and prints comes to the agent's log") {
  IsolatedAgent world({}, "log_flood");
  TestClient client(world.hostile_socket());
  CHECK(client.call(kHostile, "")->code() == StatusCode::kOk);
  CHECK(world.logged("module=hostile"));
  client.close();
  CHECK(world.agent->stop() == 0);
  CHECK(world.directory.log().find("log lines were dropped") != std::string::npos);
}
