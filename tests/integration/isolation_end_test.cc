// A process of a module that ends, hangs or takes too much: nobody else feels it.
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <set>
#include <string>

#include "isolation_world.h"
#include "tests/integration/echo_requests.h"

using namespace longshore;
using namespace longshore::test;
using namespace std::chrono_literals;

namespace {

namespace fs = std::filesystem;

// How a crash ends a process: a sanitizer makes an exit of it.
const std::string kCrash = kMemoryTellsLeaks ? "was killed by SIG" : "";

}  // namespace

TEST_CASE("A killed process ends its calls at once, and the module serves again") {
  IsolatedAgent world;
  TestClient client(world.directory.echo_socket());
  const pid_t first = world.process_of("echo");
  REQUIRE(first != 0);
  const auto running = client.start(kEcho + "Wait", wait_for(1h));
  client.call(kEcho + "Say", "");
  kill(first, SIGKILL);
  REQUIRE(client.run_until([&] { return running->finished(); }));
  CHECK(running->code() == StatusCode::kUnavailable);
  CHECK(running->text() ==
        "the process of the module echo was killed by SIGKILL; the call may have taken effect");
  // The first time it is started again at once; calls wait for that.
  CHECK(client.call(kEcho + "Say", "")->code() == StatusCode::kOk);
  const pid_t second = world.process_of("echo");
  CHECK(second != first);
  CHECK_FALSE(is_alive(first));
  client.close();
  CHECK(world.agent->stop() == 0);
  CHECK_FALSE(is_alive(second));
}

TEST_CASE("An idempotent call goes to the next process where the configuration wants that") {
  IsolatedAgent world("process.retry_idempotent = true\n");
  TestClient client(world.directory.echo_socket());
  const pid_t first = world.process_of("echo");
  const auto running = client.start(kEcho + "Wait", wait_for(300ms));
  client.call(kEcho + "Say", "");
  kill(first, SIGKILL);
  REQUIRE(client.run_until([&] { return running->finished(); }));
  CHECK(running->text() == "");
  CHECK(running->code() == StatusCode::kOk);
  // Once, and not for ever.
  const auto again = client.start(kEcho + "Wait", wait_for(1h));
  client.call(kEcho + "Say", "");
  kill(world.process_of("echo"), SIGKILL);
  REQUIRE(eventually([&] { return client.call(kEcho + "Say", "")->code() == StatusCode::kOk; }));
  kill(world.process_of("echo"), SIGKILL);
  REQUIRE(client.run_until([&] { return again->finished(); }));
  CHECK(again->code() == StatusCode::kUnavailable);
}

TEST_CASE("A process that ends too often is quarantined, and a reload tries again") {
  IsolatedAgent world("process.restart_max = 2\nprocess.restart_delay_max = \"1ms\"\n");
  TestClient client(world.directory.echo_socket());
  pid_t last = 0;
  for (int i = 0; i < 3; ++i) {
    REQUIRE(eventually([&] { return client.call(kEcho + "Say", "")->code() == StatusCode::kOk; }));
    last = world.process_of("echo");
    kill(last, SIGKILL);
    REQUIRE(eventually([&] { return !is_alive(last); }));
  }
  CHECK(world.logged("the module is quarantined"));
  const auto refused = client.call(kEcho + "Say", "");
  CHECK(refused->code() == StatusCode::kUnavailable);
  CHECK(refused->text() ==
        "the module echo is quarantined, since its process ended 3 times within a minute and the "
        "last time was killed by SIGKILL; find the fault in the log, then reload or upgrade the "
        "module");
  CHECK(children_of(world.agent->id()).empty());
  REQUIRE(world.agent->reload());
  CHECK(client.call(kEcho + "Say", "")->code() == StatusCode::kOk);
  client.close();
  CHECK(world.agent->stop() == 0);
}

TEST_CASE("A module that crashes, exits or aborts in a call takes only its own process with it",
          "[plain]") {
  const auto [name, end] =
      GENERATE(table<std::string, std::string>({{"crash_in_invoke", kCrash},
                                                {"aborts", "was killed by SIGABRT"},
                                                {"throws", "was killed by SIGABRT"},
                                                {"huge_stack", kCrash},
                                                {"exits", "exited with code 3"},
                                                {"closes_descriptors", "exited with code 2"}}));
  INFO(name);
  IsolatedAgent world({}, name);
  TestClient hostile(world.hostile_socket());
  TestClient client(world.directory.echo_socket());
  const auto answer = hostile.call(kHostile, "");
  CHECK(answer->code() == StatusCode::kUnavailable);
  CHECK_THAT(answer->text(), Catch::StartsWith("the process of the module hostile " + end));
  CHECK(client.call(kEcho + "Say", "")->code() == StatusCode::kOk);
  hostile.close();
  client.close();
  CHECK(world.agent->stop() == 0);
}

TEST_CASE("A module that hangs or crashes on its way in is told of, and the agent starts",
          "[plain]") {
  const auto [name, why] = GENERATE(table<std::string, std::string>(
      {{"crash_in_create", "the process of the module hostile " + kCrash},
       {"crash_in_start", "the process of the module hostile " + kCrash},
       {"create_refuses", "the module refused"},
       {"create_hangs", "was killed because it did not start in time"},
       {"start_hangs", "was killed because it did not start in time"}}));
  INFO(name);
  const bool hangs = name.ends_with("hangs");
  IsolatedAgent world({}, name, hangs ? "start_timeout = \"5s\"\n" : "");
  CHECK(world.logged(why));
  TestClient client(world.hostile_socket());
  CHECK(client.call(kHostile, "")->code() == StatusCode::kUnavailable);
  CHECK(world.process_of("echo") != 0);
  client.close();
  const auto begun = std::chrono::steady_clock::now();
  CHECK(world.agent->stop() == 0);
  CHECK(std::chrono::steady_clock::now() - begun < 5s);
}

TEST_CASE("A module that hangs on its way out is killed, and the agent ends in its time") {
  const std::string name = GENERATE("stop_hangs", "destroy_hangs", "never_finishes");
  INFO(name);
  IsolatedAgent world({}, name);
  TestClient client(world.hostile_socket());
  const auto running = client.start(kHostile, "");
  if (name != "never_finishes") {
    REQUIRE(client.run_until([&] { return running->finished(); }));
  }
  const pid_t process = world.process_of("hostile");
  const auto begun = std::chrono::steady_clock::now();
  CHECK(world.agent->stop() == 0);
  CHECK(std::chrono::steady_clock::now() - begun < 20s);
  CHECK_FALSE(is_alive(process));
  // Nothing of it was left behind in the agent.
  CHECK(world.directory.log().find("abandoned") == std::string::npos);
}

TEST_CASE("The process does not outlive an agent that is killed") {
  IsolatedAgent world;
  const pid_t process = world.process_of("echo");
  REQUIRE(process != 0);
  SECTION("while it serves") {}
  SECTION("even when it is stopped") { kill(process, SIGSTOP); }
  world.agent->signal(SIGKILL);
  CHECK(world.agent->wait() == 128 + SIGKILL);
  CHECK(eventually([&] { return !is_alive(process); }));
}

TEST_CASE("The process inherits no descriptor, no blocked signal and nothing of the environment") {
  IsolatedAgent world;
  const pid_t process = world.process_of("echo");
  TestClient client(world.directory.echo_socket());
  CHECK(client.call(kEcho + "Say", "")->code() == StatusCode::kOk);
  CHECK(proc_text(process, "environ") == std::string("LD_BIND_NOW=1\0", 14));
  CHECK(proc_status(process, "SigBlk") == "0000000000000000");
  std::set<std::string> leads_to;
  for (const auto& entry : fs::directory_iterator("/proc/" + std::to_string(process) + "/fd")) {
    std::string target = fs::read_symlink(entry.path());
    leads_to.insert(target.substr(0, target.find('[')));
  }
  // The null device, the pipes, its image, its own eventfd.
  CHECK(leads_to == std::set<std::string>{"/dev/null", "pipe:", "/memfd:longshore-module (deleted)",
                                          "anon_inode:"});
  CHECK(getsid(process) == process);
}

TEST_CASE("The process gives up what the configuration takes from it", "[plain]") {
  if (geteuid() != 0) {
    WARN("needs root");
    return;
  }
  IsolatedAgent world(
      "[modules.echo.process]\nuser = \"65534\"\ncapabilities = [\"CAP_SYS_NICE\"]\n"
      "files_max = 77\n" +
      std::string(kMemoryTellsLeaks ? "memory_max = 200000000\n" : ""));
  const pid_t process = world.process_of("echo");
  TestClient client(world.directory.echo_socket());
  CHECK(client.call(kEcho + "Say", "")->code() == StatusCode::kOk);
  CHECK(proc_status(process, "Uid") == "65534\t65534\t65534\t65534");
  CHECK(proc_status(process, "CapEff") == "0000000000800000");
  CHECK(proc_status(process, "CapBnd") == "0000000000800000");
  CHECK(proc_status(process, "NoNewPrivs") == "1");
  const std::string limits = proc_text(process, "limits");
  CHECK(limits.find("Max open files            77                   77") != std::string::npos);
  if (kMemoryTellsLeaks) {
    CHECK(limits.find("Max data size             200000000            200000000") !=
          std::string::npos);
  }
  // By default it keeps what the agent has, but gains nothing.
  IsolatedAgent plain;
  const pid_t other = plain.process_of("echo");
  CHECK(proc_status(other, "CapEff") == proc_status(plain.agent->id(), "CapEff"));
  CHECK(proc_status(other, "NoNewPrivs") == "1");
}

TEST_CASE("A module that wants all memory meets its own limit alone", "[plain]") {
  if (!kMemoryTellsLeaks) {
    WARN("not with a sanitizer, which wants more memory than the limit");
    return;
  }
  IsolatedAgent world({}, "eats_memory", "[modules.hostile.process]\nmemory_max = 150000000\n");
  TestClient hostile(world.hostile_socket());
  TestClient client(world.directory.echo_socket());
  const auto answer = hostile.call(kHostile, "", with_timeout(20s));
  CHECK(answer->text() ==
        "the process of the module hostile was killed by SIGABRT; the call may have taken effect");
  CHECK(client.call(kEcho + "Say", "")->code() == StatusCode::kOk);
  hostile.close();
  client.close();
  CHECK(world.agent->stop() == 0);
}

TEST_CASE("A module host that is not there, and a user who does not exist, are told of") {
  AgentDirectory directory;
  std::string wanted;
  SECTION("the program") {
    fs::create_directory(directory / "conf.d");
    write_file(directory / "conf.d/host.toml", "[agent]\nmodule_host = \"/no/such/host\"\n");
    directory.configure({}, "isolation = \"process\"\n");
    wanted = "/no/such/host";
  }
  SECTION("the user") {
    directory.configure({}, "isolation = \"process\"\nprocess.user = \"nobody-of-that-name\"\n");
    wanted = "cannot find the user \"nobody-of-that-name\"";
  }
  AgentProcess agent(directory);
  INFO(directory.log());
  REQUIRE(agent.serves());
  CHECK(directory.log().find(wanted) != std::string::npos);
  TestClient client(directory.echo_socket());
  CHECK(client.call(kEcho + "Say", "")->code() == StatusCode::kUnavailable);
  client.close();
  CHECK(agent.stop() == 0);
}
