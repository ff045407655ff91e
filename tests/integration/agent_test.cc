// The agent from its start to its end, as systemd and its administrator see it.
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <filesystem>
#include <string>

#include "longshore/echo/v1.pb.h"
#include "longshore/linux/file_descriptor.hpp"
#include "tests/integration/echo_requests.h"
#include "tests/support/agent_process.h"
#include "tests/support/build_tree.h"
#include "tests/support/eventually.h"
#include "tests/support/is_long.h"
#include "tests/support/is_thorough.h"
#include "tests/support/read_file.h"
#include "tests/support/test_client.h"
#include "tests/support/wire_writer.h"

using namespace longshore;
using namespace longshore::test;
using namespace std::chrono_literals;

namespace {

namespace fs = std::filesystem;

// A socket that listens, as systemd makes it.
int listen_on(const std::string& path) {
  fs::create_directories(fs::path(path).parent_path());
  const int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof(address.sun_path) - 1);
  REQUIRE(bind(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0);
  REQUIRE(listen(descriptor, 10) == 0);
  return descriptor;
}

// Who listens there, as clients are told.
pid_t listener_at(const std::string& path) {
  const FileDescriptor client(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof(address.sun_path) - 1);
  REQUIRE(connect(client.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0);
  ucred listener{};
  socklen_t size = sizeof(listener);
  REQUIRE(getsockopt(client.get(), SOL_SOCKET, SO_PEERCRED, &listener, &size) == 0);
  return listener.pid;
}

}  // namespace

TEST_CASE("The agent serves csi-proxy's clients until SIGTERM ends it") {
  AgentDirectory directory;
  AgentProcess agent(directory);
  INFO(directory.log());
  REQUIRE(agent.serves());

  TestClient client(directory.filesystem_socket("v1"));
  const auto there =
      client.call("v1.Filesystem/PathExists", WireWriter().text(1, directory.root()));
  CHECK(there->text() == "");
  CHECK(there->messages == std::vector<std::string>{WireWriter().number(1, 1)});

  agent.signal(SIGTERM);
  CHECK(agent.await_state("STOPPING=1"));
  CHECK(agent.wait() == 0);
  CHECK_FALSE(fs::exists(directory.filesystem_socket("v1")));
  CHECK_FALSE(fs::exists(directory.control_socket()));
}

TEST_CASE("SIGTERM lets a running call end well and takes no new ones") {
  AgentDirectory directory;
  AgentProcess agent(directory);
  REQUIRE(agent.serves());
  TestClient client(directory.echo_socket());
  CHECK(client.call("longshore.echo.v1.Echo/Say", say("here"))->code() == StatusCode::kOk);
  const auto running = client.start("longshore.echo.v1.Echo/Wait", wait_for(300ms));
  client.call("longshore.echo.v1.Echo/Say", say("after it"));
  agent.signal(SIGTERM);
  REQUIRE(agent.await_state("STOPPING=1"));
  CHECK_THROWS(TestClient(directory.echo_socket()));
  const auto late = client.start("longshore.echo.v1.Echo/Say", say("too late"));
  REQUIRE(client.run_until([&] { return running->finished() && late->finished(); }));
  CHECK(running->code() == StatusCode::kOk);
  // Taken until the client knows of the end, refused as not begun from then on.
  CHECK((late->code() == StatusCode::kOk || late->outcome->unseen));
  CHECK(client.call("longshore.echo.v1.Echo/Say", say("later"))->outcome->unseen);
  CHECK(agent.wait() == 0);
}

TEST_CASE("The agent ends in its time although a call will not") {
  AgentDirectory directory;
  AgentProcess agent(directory);
  REQUIRE(agent.serves());
  TestClient client(directory.echo_socket());
  const auto running = client.start("longshore.echo.v1.Echo/Wait", wait_for(1h, true));
  client.call("longshore.echo.v1.Echo/Say", say("after it"));
  const auto begun = std::chrono::steady_clock::now();
  CHECK(agent.stop() == 0);
  // Clients and modules have stop_timeout, 5 s, together.
  CHECK(std::chrono::steady_clock::now() - begun < 9s);
  REQUIRE(client.run_until([&] { return running->finished(); }));
  CHECK(running->code() == StatusCode::kUnavailable);
}

TEST_CASE("A second agent on the same folders is refused with a sentence, and the first goes on") {
  AgentDirectory directory;
  AgentProcess first(directory);
  REQUIRE(first.serves());
  {
    AgentProcess second(directory);
    CHECK_FALSE(second.serves());
    CHECK(second.wait() == 3);
  }
  CHECK(directory.log().find("longshored: cannot lock the folder \"" + directory / "state" +
                             "\": process " + std::to_string(first.id()) +
                             " (longshored) has it; stop the other agent, or give this one "
                             "another run_dir, control_dir and state_dir, ") != std::string::npos);
  CHECK_FALSE(fs::is_empty(directory / "state/crashes"));  // it keeps its record
  TestClient client(directory.echo_socket());
  CHECK(client.call("longshore.echo.v1.Echo/Say", say("here"))->code() == StatusCode::kOk);
  client.close();
  CHECK(first.stop() == 0);
}

TEST_CASE("A module that crashes is named by the log, and the agent starts without it") {
  AgentDirectory directory;
  const std::string module = hostile_module("crash_in_create");
  directory.configure("[modules.hostile]\nlibrary = \"" + module + "\"\n");
  {
    AgentProcess crashed(directory);
    CHECK_FALSE(crashed.serves());
    CHECK(crashed.wait() == 128 + SIGABRT);
  }
  // What follows is the record of the crash, where no sanitizer has the handler.
  const std::string log = directory.log();
  const size_t line = log.find("starting module module=hostile file=" + module + "\n");
  REQUIRE(line != std::string::npos);
  CHECK(log.find(" INFO ", line) == std::string::npos);
  directory.configure("[modules.hostile]\nenabled = false\nlibrary = \"" + module + "\"\n");
  AgentProcess agent(directory);
  REQUIRE(agent.serves());
  CHECK(agent.stop() == 0);
}

TEST_CASE("What a killed agent left behind is replaced") {
  AgentDirectory directory;
  {
    AgentProcess killed(directory);
    REQUIRE(killed.serves());
    killed.signal(SIGKILL);
    CHECK(killed.wait() == 128 + SIGKILL);
  }
  REQUIRE(fs::is_socket(directory.echo_socket()));
  CHECK_THROWS(TestClient(directory.echo_socket()));
  AgentProcess agent(directory);
  INFO(directory.log());
  REQUIRE(agent.serves());
  TestClient client(directory.echo_socket());
  CHECK(client.call("longshore.echo.v1.Echo/Say", say("here"))->code() == StatusCode::kOk);
  client.close();
  CHECK(agent.stop() == 0);
}

TEST_CASE("A log file that is a link is a mistake in the configuration") {
  AgentDirectory directory;
  const std::string file = directory / "agent.log";
  fs::create_symlink("elsewhere", file);
  directory.configure("[agent.log]\nfile = \"" + file + "\"\n");
  AgentProcess agent(directory);
  CHECK_FALSE(agent.serves());
  CHECK(agent.wait() == 2);
  CHECK(directory.log().find("cannot open the log file \"" + file) != std::string::npos);
  CHECK(directory.log().find("it is a link, which is not followed") != std::string::npos);
  CHECK_FALSE(fs::exists(directory / "elsewhere"));
}

TEST_CASE("A socket's owner who does not exist is a mistake in the configuration") {
  AgentDirectory directory;
  directory.configure("owner = \"nobody-of-that-name\"\n");
  AgentProcess agent(directory);
  CHECK_FALSE(agent.serves());
  CHECK(agent.wait() == 2);
  CHECK(directory.log().find("nobody-of-that-name") != std::string::npos);
  CHECK_FALSE(fs::exists(directory.control_socket()));
}

TEST_CASE("SIGHUP applies a change; connections and calls of what did not change go on") {
  AgentDirectory directory;
  AgentProcess agent(directory);
  REQUIRE(agent.serves());
  TestClient files(directory.filesystem_socket("v1"));
  TestClient echoes(directory.echo_socket());
  const std::string exists = WireWriter().text(1, directory.root());
  CHECK(files.call("v1.Filesystem/PathExists", exists)->code() == StatusCode::kOk);
  const auto before = fs::last_write_time(directory.filesystem_socket("v1"));
  const auto running = echoes.start("longshore.echo.v1.Echo/Wait", wait_for(300ms));
  echoes.call("longshore.echo.v1.Echo/Say", say("after it"));

  directory.configure("[endpoints.more]\naddress = \"unix://" + (directory / "more/more.sock") +
                          "\"\nservices = [\"longshore.echo.v1.Echo\"]\n",
                      "settings.greeting = \"good morning\"\n");
  REQUIRE(agent.reload());
  INFO(directory.log());
  CHECK_FALSE(running->finished());
  REQUIRE(echoes.run_until([&] { return running->finished(); }));
  CHECK(running->code() == StatusCode::kOk);
  CHECK(fs::last_write_time(directory.filesystem_socket("v1")) == before);
  CHECK(files.call("v1.Filesystem/PathExists", exists)->code() == StatusCode::kOk);
  echo::v1::DescribeResponse response;
  const auto described = echoes.call("longshore.echo.v1.Echo/Describe", "");
  REQUIRE(response.ParseFromString(described->messages.at(0)));
  CHECK(response.greeting() == "good morning");
  CHECK(TestClient(directory / "more/more.sock")
            .call("longshore.echo.v1.Echo/Say", say("here"))
            ->code() == StatusCode::kOk);

  directory.configure();
  REQUIRE(agent.reload());
  CHECK_THROWS(TestClient(directory / "more/more.sock"));
  CHECK(echoes.call("longshore.echo.v1.Echo/Say", say("here"))->code() == StatusCode::kOk);
  CHECK_FALSE(files.closed());
  files.close();
  echoes.close();
  CHECK(agent.stop() == 0);
}

TEST_CASE("A module that cannot overlap is replaced by a reload, and hands over what it has") {
  AgentDirectory directory;
  // `queued` is the instance's own; the time limit is on the way to it.
  const auto configure = [&](const std::string& queued, const std::string& timeout) {
    directory.configure("[modules.hostile]\nlibrary = \"" + hostile_module("hands_over") +
                        "\"\nmax_queued_calls = " + queued + "\ncall_timeout = \"" + timeout +
                        "\"\n[endpoints.hostile]\naddress = \"unix://" +
                        (directory / "hostile/hostile.sock") +
                        "\"\nservices = [\"hostile.v1.Hostile\"]\n");
  };
  configure("10", "10s");
  AgentProcess agent(directory);
  INFO(directory.log());
  REQUIRE(agent.serves());
  TestClient client(directory / "hostile/hostile.sock");
  CHECK(client.call("hostile.v1.Hostile/Do", "")->messages.at(0) == "got: ");
  configure("10", "20s");
  REQUIRE(agent.reload());
  CHECK(client.call("hostile.v1.Hostile/Do", "")->messages.at(0) == "got: ");
  CHECK(directory.log().find("module is stopped") == std::string::npos);
  configure("20", "20s");
  REQUIRE(agent.reload());
  CHECK(client.call("hostile.v1.Hostile/Do", "")->messages.at(0) == "got: two parts");
  CHECK(directory.log().find("module is stopped") != std::string::npos);
  client.close();
  CHECK(agent.stop() == 0);
}

TEST_CASE("Signals that come while a reload runs make one more together") {
  AgentDirectory directory;
  AgentProcess agent(directory);
  REQUIRE(agent.serves());
  const auto configure = [&](const std::string& timeout) {
    directory.configure("[modules.hostile]\nlibrary = \"" + hostile_module("start_hangs") +
                        "\"\nstart_timeout = \"" + timeout + "\"\n");
  };
  const auto logged = [&](const std::string& text) {
    size_t count = 0;
    const std::string log = directory.log();
    for (size_t at = 0; (at = log.find(text, at)) != log.npos; ++at) ++count;
    return count;
  };
  configure("2s");
  agent.signal(SIGHUP);
  REQUIRE(eventually([&] { return logged("starting module module=hostile") == 1; }));
  directory.write_configuration("[agent\n");  // each reload from now on says so, in one line
  const auto is_taken = [&] {
    const std::string status = read_file("/proc/" + std::to_string(agent.id()) + "/status");
    return status.find("ShdPnd:\t0000000000000000\n") != status.npos;
  };
  for (int i = 0; i < 20; ++i) {
    agent.signal(SIGHUP);
    REQUIRE(eventually(is_taken));
  }
  REQUIRE(eventually([&] { return logged(directory.config_file() + ":1:") > 0; }));
  // What is asked for by name comes after all reloads that wait.
  TestClient(directory.control_socket()).call("longshore.admin.v1.Admin/Reload", "");
  CHECK(logged(directory.config_file() + ":1:") < 10);
  CHECK(agent.stop() == 0);
}

TEST_CASE("A reload that hangs in a module does not keep the agent from its end") {
  // The first is given up, and the other modules are stopped in order; nothing ends the second.
  const auto [module, line] = GENERATE(table<std::string, std::string>(
      {{"start_hangs", "the agent is ending"},
       {"create_hangs", "a change of the modules does not end; they are left as they are"}}));
  INFO(module);
  AgentDirectory directory;
  AgentProcess agent(directory);
  REQUIRE(agent.serves());
  directory.configure("[modules.hostile]\nlibrary = \"" + hostile_module(module) +
                      "\"\nstart_timeout = \"1h\"\n");
  agent.signal(SIGHUP);
  const auto deadline = std::chrono::steady_clock::now() + 30s;
  while (directory.log().find("starting module module=hostile") == std::string::npos) {
    REQUIRE(std::chrono::steady_clock::now() < deadline);
  }
  agent.signal(SIGTERM);
  CHECK(agent.wait() == 0);
  CHECK(directory.log().find(line) != std::string::npos);
  CHECK_FALSE(fs::exists(directory.control_socket()));
}

TEST_CASE("A faulty file, or one that needs a restart, changes nothing and is said in the log") {
  AgentDirectory directory;
  AgentProcess agent(directory);
  REQUIRE(agent.serves());
  TestClient client(directory.echo_socket());
  directory.configure("nonsense = 1\n", "settings.greeting = \"unseen\"\n");
  REQUIRE(agent.reload());
  CHECK(directory.log().find("unknown key \"endpoints.echo.nonsense\"") != std::string::npos);
  directory.write_configuration("[agent\n");
  REQUIRE(agent.reload());
  CHECK(directory.log().find(directory.config_file() + ":1:") != std::string::npos);
  directory.configure("[agent.limits]\nmax_images = 3\n", "settings.greeting = \"unseen\"\n");
  REQUIRE(agent.reload());
  CHECK(directory.log().find("only a restart can change") != std::string::npos);

  echo::v1::DescribeResponse response;
  const auto described = client.call("longshore.echo.v1.Echo/Describe", "");
  REQUIRE(response.ParseFromString(described->messages.at(0)));
  CHECK(response.greeting() == "hello");
  client.close();
  CHECK(agent.stop() == 0);
}

TEST_CASE("Sockets that systemd made are served, and left to it at the end") {
  AgentDirectory directory;
  const int made = listen_on(directory.echo_socket());
  {
    AgentProcess agent(directory, {.sockets = {made}});
    INFO(directory.log());
    REQUIRE(agent.serves());
    TestClient client(directory.echo_socket());
    CHECK(client.call("longshore.echo.v1.Echo/Say", say("here"))->code() == StatusCode::kOk);
    // By that Csi/Call knows the agent's own.
    CHECK(listener_at(directory.echo_socket()) == agent.id());
    CHECK(agent.stop() == 0);
  }
  CHECK(fs::is_socket(directory.echo_socket()));
  CHECK_FALSE(fs::exists(directory.filesystem_socket("v1")));
  CHECK(directory.log().find("that systemd holds") == std::string::npos);
  close(made);
}

TEST_CASE("A socket of systemd's is served again after reloads without its module and with it") {
  AgentDirectory directory;
  const int made = listen_on(directory.echo_socket());
  AgentProcess agent(directory, {.sockets = {made}});
  const std::string whole = read_file(directory.config_file());
  for (int round = 0; round < 2; ++round) {
    directory.write_configuration(whole.substr(0, whole.find("[modules.echo]")));
    REQUIRE(agent.reload());
    directory.write_configuration(whole);
    REQUIRE(agent.reload());
    INFO(directory.log());
    TestClient client(directory.echo_socket());
    CHECK(client.call("longshore.echo.v1.Echo/Say", say("here"))->code() == StatusCode::kOk);
  }
  CHECK(agent.stop() == 0);
  close(made);
}

TEST_CASE("A socket of systemd's whose module cannot be loaded says why, until it can") {
  AgentDirectory directory;
  const std::string library = directory / "longshore-filesystem.so";
  fs::create_directory(directory / "conf.d");
  write_file(directory / "conf.d/library.toml",
             "[modules.filesystem]\nlibrary = \"" + library + "\"\n");
  const int made = listen_on(directory.filesystem_socket("v1"));
  AgentProcess agent(directory, {.sockets = {made}});
  INFO(directory.log());
  REQUIRE(agent.serves());
  TestClient client(directory.filesystem_socket("v1"));
  const auto exists = [&] {
    return client.call("v1.Filesystem/PathExists", WireWriter().text(1, directory.root()));
  };
  CHECK(exists()->code() == StatusCode::kUnavailable);
  CHECK(exists()->text().find(library) != std::string::npos);
  // Not what another module serves.
  CHECK(client.call("longshore.echo.v1.Echo/Say", say("here"))->code() ==
        StatusCode::kUnimplemented);
  fs::copy_file(built_modules() + "/longshore-filesystem.so", library);
  CHECK(eventually([&] { return exists()->code() == StatusCode::kOk; }));
  CHECK(client.call("longshore.echo.v1.Echo/Say", say("here"))->code() ==
        StatusCode::kUnimplemented);
  client.close();
  CHECK(agent.stop() == 0);
  close(made);
}

TEST_CASE("A socket of systemd's whose module is switched off answers that nobody serves it") {
  AgentDirectory directory;
  fs::create_directory(directory / "conf.d");
  const auto switch_module = [&](bool on) {
    write_file(directory / "conf.d/off.toml",
               std::string("[modules.filesystem]\nenabled = ") + (on ? "true\n" : "false\n"));
  };
  switch_module(false);
  const int made = listen_on(directory.filesystem_socket("v1"));
  AgentProcess agent(directory, {.sockets = {made}});
  INFO(directory.log());
  REQUIRE(agent.serves());
  TestClient client(directory.filesystem_socket("v1"));
  const auto code = [&] {
    return client.call("v1.Filesystem/PathExists", WireWriter().text(1, directory.root()))->code();
  };
  CHECK(code() == StatusCode::kUnimplemented);
  CHECK(directory.log().find("sockets=filesystem-v1") != std::string::npos);
  for (const bool on : {true, false}) {
    switch_module(on);
    REQUIRE(agent.reload());
    CHECK(code() == (on ? StatusCode::kOk : StatusCode::kUnimplemented));
  }
  client.close();
  CHECK(agent.stop() == 0);
  close(made);
}

TEST_CASE("A mode that cannot be given to systemd's sockets is warned of") {
  AgentDirectory directory;
  directory.configure("mode = \"0666\"\n");
  const int made = listen_on(directory.echo_socket());
  AgentProcess agent(directory, {.sockets = {made}});
  INFO(directory.log());
  REQUIRE(agent.serves());
  CHECK(directory.log().find("that systemd holds") != std::string::npos);
  CHECK((fs::status(directory.echo_socket()).permissions() & fs::perms::others_write) ==
        fs::perms::none);
  close(made);
}

TEST_CASE("The agent starts and stops again and again on the same folders") {
  AgentDirectory directory;
  const int cycles = is_long() ? 100 : is_thorough() ? 20 : 5;
  for (int cycle = 0; cycle < cycles; ++cycle) {
    AgentProcess agent(directory);
    INFO(directory.log());
    REQUIRE(agent.serves());
    {
      TestClient client(directory.echo_socket());
      REQUIRE(client.call("longshore.echo.v1.Echo/Say", say("here"))->code() == StatusCode::kOk);
    }
    REQUIRE(agent.stop() == 0);
  }
}
