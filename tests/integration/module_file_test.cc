// A module whose file cannot be loaded, beside one that serves.
#include <catch2/catch.hpp>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tests/integration/control_requests.h"
#include "tests/integration/echo_requests.h"
#include "tests/support/agent_process.h"
#include "tests/support/build_tree.h"
#include "tests/support/eventually.h"
#include "tests/support/http_connection.h"
#include "tests/support/program_run.h"
#include "tests/support/test_client.h"
#include "tests/support/wire_writer.h"

using namespace longshore;
using namespace longshore::test;

namespace {

namespace fs = std::filesystem;

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// The module echo has a file of the test's own; filesystem has that of the build.
struct World {
  World() { fs::create_directory(directory / "conf.d"); }

  std::string file() const { return directory / "longshore-echo.so"; }
  void configure(const std::string& more = {}) const {
    directory.configure({}, "library = \"" + file() + "\"\n" + more);
  }
  void add_configuration(const std::string& name, const std::string& text) const {
    write_file(directory / ("conf.d/" + name + ".toml"), text);
  }
  void add_http() const {
    add_configuration("http", "[agent.http]\naddress = \"unix://" + http() + "\"\n");
  }
  std::string http() const { return directory / "http/http.sock"; }
  HttpResponse get(const std::string& path) const { return HttpConnection(http()).get(path); }
  // As a package manager does.
  void install(const std::string& source) const {
    fs::copy_file(source, file() + ".new", fs::copy_options::overwrite_existing);
    fs::rename(file() + ".new", file());
  }
  void install_good() const { install(built_module("echo")); }
  // It works as well.
  void install_another() const {
    fs::copy_file(built_module("echo"), file() + ".new");
    fs::resize_file(file() + ".new", fs::file_size(file() + ".new") + 1);
    fs::rename(file() + ".new", file());
  }
  // Its signature is nobody's, and there is a key to check it with.
  void add_bad_signature() const {
    fs::create_directory(directory / "keys");
    write_file(directory / "keys/acme.pem",
               "-----BEGIN PUBLIC KEY-----\n"
               "MCowBQYDK2VwAyEAkM+Cc4yiy+zlyg4InJikp1xdIFZR76CtmDBK0iJqNC8=\n"
               "-----END PUBLIC KEY-----\n");
    write_file(file() + ".sig", std::string(64, 's'));
    add_configuration("signatures",
                      "[agent.signatures]\nkeys_dir = \"" + (directory / "keys") + "\"\n");
  }

  bool filesystem_serves() const {
    TestClient client(directory.filesystem_socket("v1"));
    return client.call("v1.Filesystem/PathExists", WireWriter().text(1, directory.root()))
               ->code() == StatusCode::kOk;
  }
  bool echo_comes_to_serve() const {
    return eventually([&] { return say_code() == StatusCode::kOk; });
  }
  StatusCode say_code() const {
    TestClient client(directory.echo_socket());
    return client.call("longshore.echo.v1.Echo/Say", say("here"))->code();
  }
  // `words` after the program's name and the configuration.
  ProgramRun run(const std::string& program, std::vector<std::string> words) const {
    words.insert(words.begin(), {built_program(program), "--config", directory.config_file(),
                                 "--no-ownership-check"});
    return run_program(words);
  }

  AgentDirectory directory;
};

struct Fault {
  const char* name;
  void (*make)(const World& world);
  const char* says;
  void (*mend)(const World& world);
};

void put_good(const World& world) { world.install_good(); }

const std::vector<Fault> kFaults = {
    {"there is no file", [](const World& world) { world.configure(); }, "cannot find the module",
     put_good},
    {"the file is none",
     [](const World& world) {
       world.configure();
       fs::create_directory(world.file());
     },
     "it is not a regular file",
     [](const World& world) {
       fs::remove(world.file());
       world.install_good();
     }},
    {"it is no shared object",
     [](const World& world) {
       world.configure();
       write_file(world.file(), "no module\n");
     },
     "it is not a shared object", put_good},
    {"it speaks another version of the ABI",
     [](const World& world) {
       world.configure();
       world.install(hostile_module("wrong_major"));
     },
     "of the module ABI and this agent speaks", put_good},
    {"it is not the one that is pinned",
     [](const World& world) {
       const std::string pin = run_program({"/usr/bin/sha256sum", built_module("echo")}).output;
       world.configure("sha256 = \"" + pin.substr(0, 64) + "\"\n");
       world.install(hostile_module("wrong_major"));
     },
     "the configuration pins", put_good},
    {"its signature is wrong",
     [](const World& world) {
       world.configure();
       world.install_good();
       world.add_bad_signature();
     },
     "is by none of the keys in", [](const World& world) { fs::remove(world.file() + ".sig"); }},
    {"it is to have a process of its own",
     [](const World& world) { world.configure("isolation = \"process\"\n"); },
     "cannot find the module", put_good},
};

// The line of a text that begins so; empty: there is none.
std::string line_of(const std::string& text, const std::string& begin) {
  const size_t at = ('\n' + text).find('\n' + begin);
  return at == std::string::npos ? std::string() : text.substr(at, text.find('\n', at) - at);
}

// Of a module that does not serve while the agent does.
void check_told_over_http(const World& world, const std::string& reason) {
  const HttpResponse ready = world.get("/readyz");
  CHECK(ready.status == 200);
  CHECK(contains(line_of(ready.body, "the module echo is failed: "), reason));
  const HttpResponse verbose = world.get("/readyz?verbose");
  CHECK(verbose.status == 200);
  CHECK(contains(line_of(verbose.body, "[-]module echo failed: "), reason));
  CHECK_FALSE(line_of(verbose.body, "[+]module filesystem ").empty());
  const std::string metrics = world.get("/metrics").body;
  const auto has_series = [&](const std::string& series) {
    return !line_of(metrics, series).empty();
  };
  CHECK(has_series(R"(longshore_module_up{module="echo"} 0)"));
  CHECK(has_series(R"(longshore_module_state{module="echo",state="failed"} 1)"));
  CHECK(has_series(R"(longshore_module_up{module="filesystem"} 1)"));
}

}  // namespace

TEST_CASE("A module whose file cannot be loaded stops nothing, and it is said why") {
  for (const Fault& fault : kFaults) {
    DYNAMIC_SECTION(fault.name) {
      const World world;
      fault.make(world);
      world.add_http();
      AgentProcess agent(world.directory);
      INFO(world.directory.log());
      REQUIRE(agent.serves());
      CHECK(world.filesystem_serves());
      CHECK(world.say_code() == StatusCode::kUnavailable);
      const auto module = module_of(world.directory, "echo");
      CHECK(module.state() == "failed");
      CHECK(contains(module.reason(), fault.says));
      CHECK(contains(world.directory.log(), fault.says));
      CHECK(contains(world.directory.log(), "not_serving=echo"));
      check_told_over_http(world, fault.says);
      CHECK(agent.stop() == 0);
    }
  }
}

TEST_CASE("A check of the configuration reports such a file, and a strict agent does not start") {
  for (const Fault& fault : kFaults) {
    DYNAMIC_SECTION(fault.name) {
      const World world;
      fault.make(world);
      for (const auto& run :
           {world.run("longshored", {"--check"}), world.run("longshored", {"config", "check"})}) {
        CHECK(run.exit_code == 2);
        CHECK(contains(run.errors, world.directory.config_file() + ":"));
        CHECK(contains(run.errors, fault.says));
      }
      world.add_configuration("strict", "[agent]\nstrict = true\n");
      AgentProcess agent(world.directory);
      CHECK_FALSE(agent.serves());
      CHECK(agent.wait() == 2);
      CHECK(contains(world.directory.log(), fault.says));
    }
  }
}

TEST_CASE("A reload applies the rest, and the module goes on with the file that it has") {
  for (const Fault& fault : kFaults) {
    DYNAMIC_SECTION(fault.name) {
      const World world;
      world.install_good();
      world.configure();
      AgentProcess agent(world.directory);
      REQUIRE(agent.serves());
      fs::remove(world.file());
      fault.make(world);
      world.add_configuration("rest", "[modules.filesystem]\nenabled = false\n");
      REQUIRE(agent.reload());
      INFO(world.directory.log());
      CHECK(world.say_code() == StatusCode::kOk);
      CHECK_THROWS(world.filesystem_serves());
      const auto module = module_of(world.directory, "echo");
      CHECK(module.state() == "serving");
      CHECK(module.degraded());
      CHECK(contains(module.reason(), fault.says));
      CHECK(contains(world.directory.log(), "reload: the module echo goes on as it is"));
      CHECK(agent.stop() == 0);
    }
  }
}

TEST_CASE("Settings that could not be read are not told as changed") {
  const World world;
  world.install_good();
  world.configure("settings.greeting = \"kept\"\n");
  AgentProcess agent(world.directory);
  REQUIRE(agent.serves());
  fs::remove(world.file());
  REQUIRE(agent.reload());
  CHECK(contains(world.directory.log(), "reload: the module echo goes on as it is"));
  CHECK_FALSE(contains(world.directory.log(), "reload: modules.echo.settings"));
  CHECK(agent.stop() == 0);
}

TEST_CASE("A strict agent's reload changes nothing for such a file") {
  const World world;
  world.install_good();
  world.configure();
  world.add_configuration("strict", "[agent]\nstrict = true\n");
  AgentProcess agent(world.directory);
  REQUIRE(agent.serves());
  fs::remove(world.file());
  world.add_configuration("rest", "[modules.filesystem]\nenabled = false\n");
  REQUIRE(agent.reload());
  CHECK(world.say_code() == StatusCode::kOk);
  CHECK(world.filesystem_serves());
  CHECK_FALSE(module_of(world.directory, "echo").degraded());
  CHECK(contains(world.directory.log(), "cannot find the module"));
  CHECK(agent.stop() == 0);
}

TEST_CASE("A reload tries a module again whose file is there by now") {
  const World world;
  world.configure();
  AgentProcess agent(world.directory);
  REQUIRE(agent.serves());
  CHECK(world.say_code() != StatusCode::kOk);
  world.install_good();
  REQUIRE(agent.reload());
  CHECK(world.say_code() == StatusCode::kOk);
  CHECK(module_of(world.directory, "echo").state() == "serving");
  CHECK(contains(world.directory.log(), "reload: the module echo serves now"));
  CHECK(agent.stop() == 0);
}

TEST_CASE("When another file is put in place it is served without a reload") {
  for (const Fault& fault : kFaults) {
    DYNAMIC_SECTION(fault.name) {
      const World world;
      fault.make(world);
      AgentProcess agent(world.directory);
      REQUIRE(agent.serves());
      // What else the configuration says by then is for a reload to take.
      world.add_configuration("rest", "[modules.filesystem]\nenabled = false\n");
      fault.mend(world);
      INFO(world.directory.log());
      CHECK(world.echo_comes_to_serve());
      CHECK(world.filesystem_serves());
      CHECK(agent.stop() == 0);
    }
  }
}

TEST_CASE("The folder of the file may come with it") {
  const World world;
  const std::string folder = world.directory / "vendor/lib";
  world.directory.configure({}, "library = \"" + folder + "/echo.so\"\n");
  AgentProcess agent(world.directory);
  REQUIRE(agent.serves());
  fs::create_directories(folder);
  fs::copy_file(built_module("echo"), folder + "/echo.so");
  INFO(world.directory.log());
  CHECK(world.echo_comes_to_serve());
  CHECK(agent.stop() == 0);
}

TEST_CASE("What goes on with its old file is replaced when a new one is there") {
  const World world;
  world.install_good();
  world.configure();
  AgentProcess agent(world.directory);
  REQUIRE(agent.serves());
  fs::remove(world.file());
  REQUIRE(agent.reload());
  CHECK(module_of(world.directory, "echo").degraded());
  world.install_another();
  INFO(world.directory.log());
  CHECK(eventually([&] { return module_of(world.directory, "echo").upgrades() == 1; }));
  CHECK_FALSE(module_of(world.directory, "echo").degraded());
  CHECK(world.say_code() == StatusCode::kOk);
  CHECK(agent.stop() == 0);
}

TEST_CASE("A file that could not be taken since calls of older ones ran is taken after them") {
  const World world;
  world.install_good();
  world.configure();
  AgentProcess agent(world.directory);
  REQUIRE(agent.serves());
  std::optional<TestClient> client(world.directory.echo_socket());
  constexpr uint64_t kMostOlderOnes = 8;
  for (uint64_t i = 0; i < kMostOlderOnes; ++i) {
    client->start("longshore.echo.v1.Echo/Wait", wait_for(std::chrono::hours(1)));
    REQUIRE(client->call("longshore.echo.v1.Echo/Say", say("behind it"))->code() ==
            StatusCode::kOk);
    world.configure("call_timeout = \"10m\"\nsettings.greeting = \"" + std::to_string(i) + "\"\n");
    REQUIRE(agent.reload());
  }
  fs::remove(world.file());
  REQUIRE(agent.reload());
  CHECK(module_of(world.directory, "echo").degraded());
  world.install_another();
  INFO(world.directory.log());
  REQUIRE(eventually([&] {
    return contains(world.directory.log(), "several older instances of it still have calls");
  }));
  CHECK(module_of(world.directory, "echo").upgrades() == kMostOlderOnes);
  client.reset();  // and so end its calls
  CHECK(eventually(
      [&] { return module_of(world.directory, "echo").upgrades() == kMostOlderOnes + 1; }));
  CHECK_FALSE(module_of(world.directory, "echo").degraded());
  CHECK(agent.stop() == 0);
}

TEST_CASE("Nobody else may serve what a module serves whose file cannot be read") {
  const World world;
  world.install_good();
  world.configure();
  AgentProcess agent(world.directory);
  REQUIRE(agent.serves());
  fs::remove(world.file());
  world.add_configuration("second",
                          "[modules.second]\nlibrary = \"" + built_module("echo") + "\"\n");
  REQUIRE(agent.reload());
  CHECK(contains(world.directory.log(), "both serve \"longshore.echo.v1.Echo\""));
  CHECK_FALSE(module_of(world.directory, "echo").degraded());
  CHECK_FALSE(contains(world.directory.log(), "starting module module=second"));
  CHECK(agent.stop() == 0);
}

TEST_CASE("Nor may a module whose file comes while another runs that the files name no more") {
  const World world;
  world.install_good();
  const std::string zone = world.directory / "zone.so";
  world.configure("[modules.zone]\nlibrary = \"" + zone + "\"\n");
  AgentProcess agent(world.directory);
  REQUIRE(agent.serves());
  world.add_configuration("rest", "[modules.echo]\nenabled = false\n");
  fs::copy_file(built_module("echo"), zone);
  CHECK(eventually(
      [&] { return contains(world.directory.log(), "both serve \"longshore.echo.v1.Echo\""); }));
  CHECK(module_of(world.directory, "zone").state() == "failed");
  REQUIRE(agent.reload());
  CHECK(module_of(world.directory, "zone").state() == "serving");
  CHECK(world.say_code() == StatusCode::kOk);
  CHECK(agent.stop() == 0);
}

TEST_CASE("A module goes on with its settings though its file becomes another bad one") {
  const World world;
  world.install_good();
  world.configure("settings.greeting = \"kept\"\n");
  AgentProcess agent(world.directory);
  REQUIRE(agent.serves());
  fs::remove(world.file());
  REQUIRE(agent.reload());
  write_file(world.file(), "no module\n");
  CHECK(eventually([&] {
    return contains(module_of(world.directory, "echo").reason(), "it is not a shared object");
  }));
  TestClient client(world.directory.control_socket());
  const auto answer = client.call("longshore.admin.v1.Admin/GetConfig", {});
  REQUIRE(answer->code() == StatusCode::kOk);
  CHECK(contains(answer->messages.at(0), "greeting = \"kept\""));
  CHECK(agent.stop() == 0);
}

TEST_CASE("One that did not start is tried again with another file and not with the same") {
  const World world;
  world.install(hostile_module("start_fails"));
  const std::string zone = world.directory / "zone.so";
  world.directory.configure("[modules.spare]\nlibrary = \"" + world.file() +
                            "\"\n[modules.zone]\nlibrary = \"" + zone + "\"\n");
  AgentProcess agent(world.directory);
  REQUIRE(agent.serves());
  const auto spare = [&] { return module_of(world.directory, "spare"); };
  const auto starts = [&] {
    const std::string log = world.directory.log(), line = "starting module module=spare";
    size_t count = 0;
    for (size_t at = 0; (at = log.find(line, at)) != std::string::npos; ++at) ++count;
    return count;
  };
  CHECK(contains(spare().reason(), "the disk is on fire"));
  CHECK(starts() == 1);
  // Whoever looks at zone has been at spare before.
  write_file(zone, "no module\n");
  CHECK(eventually([&] {
    return contains(module_of(world.directory, "zone").reason(), "it is not a shared object");
  }));
  CHECK(starts() == 1);
  world.install(hostile_module("tells_caller"));
  CHECK(eventually([&] { return spare().state() == "serving"; }));
  CHECK(starts() == 2);
  CHECK(agent.stop() == 0);
}

TEST_CASE("An agent whose modules are all as they should be watches its sockets only") {
  const auto watches = [](const AgentProcess& agent) {
    size_t count = 0;
    for (const auto& each : fs::directory_iterator("/proc/" + std::to_string(agent.id()) + "/fd")) {
      std::error_code gone;  // a connection may end just now
      const std::string leads_to = fs::read_symlink(each.path(), gone).string();
      if (contains(leads_to, "inotify")) ++count;
    }
    return count;
  };
  const World world;
  world.configure();
  AgentProcess agent(world.directory);
  REQUIRE(agent.serves());
  CHECK(eventually([&] { return watches(agent) == 2; }));
  world.install_good();
  CHECK(world.echo_comes_to_serve());
  CHECK(eventually([&] { return watches(agent) == 1; }));
  CHECK(agent.stop() == 0);
}
