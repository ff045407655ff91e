// A socket that cannot be made, beside others that serve.
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "longshore/linux/file_descriptor.hpp"
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
using Catch::Contains;

namespace {

namespace fs = std::filesystem;

// Listens on the path, as another program does, or as systemd for the agent.
FileDescriptor listen_on(const std::string& path) {
  fs::create_directories(fs::path(path).parent_path());
  FileDescriptor descriptor(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  REQUIRE(path.size() < sizeof(address.sun_path));
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  REQUIRE(bind(descriptor.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0);
  REQUIRE(listen(descriptor.get(), 16) == 0);
  return descriptor;
}

// What is in the way of a socket, until it is removed.
class Obstacle {
 public:
  Obstacle(const std::string& kind, const std::string& path) : path_(path) {
    fs::create_directories(fs::path(path).parent_path());
    if (kind == "link") fs::create_symlink("elsewhere", path);
    if (kind == "file") write_file(path, "precious");
    if (kind == "listener") listener_ = listen_on(path);
  }
  static std::string words(const std::string& kind) {
    if (kind == "link") return "there is a link, which is not followed";
    return kind == "file" ? "there is something that is not a socket" : "listens on it";
  }
  // Of a process that ends, the socket's file stays.
  void remove() {
    if (listener_) {
      listener_ = FileDescriptor();
    } else {
      fs::remove(path_);
    }
  }

 private:
  const std::string path_;
  FileDescriptor listener_;
};

struct World {
  void configure(const std::string& agent = {}, const std::string& more = {}) const {
    directory.configure("[agent.http]\naddress = \"unix://" + http() + "\"\n" + more);
    fs::create_directories(directory / "conf.d");
    write_file(directory / "conf.d/agent.toml", "[agent]\n" + agent);
  }
  std::string http() const { return directory / "http/http.sock"; }
  HttpResponse get(const std::string& path) const { return HttpConnection(http()).get(path); }

  bool filesystem_serves() const {
    TestClient client(directory.filesystem_socket("v1"));
    return client.call("v1.Filesystem/PathExists", WireWriter().text(1, directory.root()))
               ->code() == StatusCode::kOk;
  }
  bool echo_serves() const {
    try {
      TestClient client(directory.echo_socket());
      return client.call("longshore.echo.v1.Echo/Say", say("here"))->code() == StatusCode::kOk;
    } catch (const std::exception&) {
      return false;  // nobody listens
    }
  }
  // Why the agent says that the endpoint does not listen.
  std::string reason_of(const std::string& endpoint) const {
    TestClient client(directory.control_socket());
    const auto answer = client.call("longshore.admin.v1.Admin/GetStatus", {});
    admin::v1::GetStatusResponse status;
    REQUIRE(status.ParseFromString(answer->messages.at(0)));
    for (const auto& each : status.endpoints()) {
      if (each.name() == endpoint) return each.reason();
    }
    return "there is none";
  }
  ProgramRun check() const {
    return run_program({built_program("longshored"), "--check", "--config", directory.config_file(),
                        "--no-ownership-check", "--module-dir",
                        fs::path(built_module("echo")).parent_path()});
  }

  AgentDirectory directory;
};

}  // namespace

TEST_CASE("What is in the way of one socket is told, and the others serve until it is gone") {
  const std::string kind = GENERATE("link", "file", "listener");
  INFO(kind);
  World world;
  world.configure();
  Obstacle obstacle(kind, world.directory.echo_socket());
  const std::string words = Obstacle::words(kind);
  const ProgramRun checked = world.check();
  CHECK(checked.exit_code == 2);
  CHECK_THAT(checked.errors, Contains(world.directory.echo_socket()) && Contains(words));

  AgentProcess agent(world.directory);
  INFO(world.directory.log());
  REQUIRE(agent.serves());
  CHECK(world.filesystem_serves());
  CHECK_THAT(world.reason_of("echo"), Contains(words));
  CHECK(world.reason_of("control").empty());
  const ProgramRun status = run_program(
      {built_program("longshorectl"), "--socket", world.directory.control_socket(), "status"});
  CHECK(status.exit_code == 0);
  CHECK_THAT(status.output, Contains("echo does not listen: ") && Contains(words));
  CHECK_THAT(world.directory.log(), Contains("the endpoint does not serve; it is tried again"));
  CHECK_THAT(world.directory.log(), Contains("not_listening=echo"));
  const HttpResponse ready = world.get("/readyz");
  CHECK(ready.status == 200);
  CHECK_THAT(ready.body, Contains("the endpoint echo does not listen: ") && Contains(words));
  CHECK_THAT(world.get("/readyz?verbose").body, Contains("[-]endpoint echo not listening: ") &&
                                                    Contains("[+]endpoint control listening\n"));
  CHECK_THAT(world.get("/metrics").body, Contains("longshore_endpoint_up{endpoint=\"echo\"} 0\n"));

  obstacle.remove();
  CHECK(eventually([&] { return world.echo_serves(); }));
  CHECK(world.reason_of("echo").empty());
  CHECK(world.get("/readyz").body == "ok\n");
  CHECK_THAT(world.get("/metrics").body, Contains("longshore_endpoint_up{endpoint=\"echo\"} 1\n"));
  CHECK(world.check().exit_code == 0);  // the agent itself is not in its way
  CHECK(agent.stop() == 0);
}

TEST_CASE("A socket that is removed while the agent runs is told, and served again") {
  World world;
  world.configure();
  AgentProcess agent(world.directory);
  INFO(world.directory.log());
  REQUIRE(agent.serves());
  TestClient before(world.directory.echo_socket());
  fs::remove(world.directory.echo_socket());
  write_file(world.directory.echo_socket(), "precious");
  CHECK(eventually([&] {
    return world.get("/readyz?verbose").body.find("[-]endpoint echo not listening: ") !=
           std::string::npos;
  }));
  CHECK_THAT(world.get("/metrics").body, Contains("longshore_endpoint_up{endpoint=\"echo\"} 0\n"));
  CHECK_FALSE(world.reason_of("echo").empty());
  CHECK(world.filesystem_serves());
  fs::remove(world.directory.echo_socket());
  CHECK(eventually([&] { return world.echo_serves(); }));
  CHECK(world.reason_of("echo").empty());
  CHECK(before.call("longshore.echo.v1.Echo/Say", say("here"))->code() == StatusCode::kOk);
  before.close();
  CHECK(agent.stop() == 0);
}

TEST_CASE("A control socket that cannot be made keeps no client waiting") {
  World world;
  world.configure();
  Obstacle obstacle("file", world.directory.control_socket());
  AgentProcess agent(world.directory);
  INFO(world.directory.log());
  REQUIRE(agent.serves());
  CHECK(world.filesystem_serves());
  CHECK(world.echo_serves());
  CHECK_THAT(world.get("/readyz?verbose").body, Contains("[-]endpoint control not listening: "));
  obstacle.remove();
  CHECK(eventually([&] { return world.get("/readyz").body == "ok\n"; }));
  CHECK(world.reason_of("control").empty());
  CHECK(agent.stop() == 0);
}

TEST_CASE("The place of HTTP can be taken, too") {
  World world;
  world.configure();
  Obstacle obstacle("listener", world.http());
  CHECK(world.check().exit_code == 2);
  AgentProcess agent(world.directory);
  INFO(world.directory.log());
  REQUIRE(agent.serves());
  CHECK(world.echo_serves());
  CHECK_THAT(world.reason_of("http"), Contains("listens on it"));
  SECTION("for a while") {
    obstacle.remove();
    CHECK(eventually([&] { return world.reason_of("http") == "there is none"; }));
    CHECK(world.get("/readyz").body == "ok\n");
  }
  SECTION("to the agent's end") {}
  CHECK(agent.stop() == 0);
}

TEST_CASE("A strict agent does not start beside what is in the way of a socket") {
  World world;
  world.configure("strict = true\n");
  const bool is_http = GENERATE(false, true);
  Obstacle obstacle("file", is_http ? world.http() : world.directory.echo_socket());
  AgentProcess agent(world.directory);
  CHECK_FALSE(agent.serves());
  CHECK(agent.wait() == 3);
  CHECK_THAT(world.directory.log(), Contains("there is something that is not a socket"));
  CHECK_FALSE(fs::exists(world.directory.control_socket()));
}

TEST_CASE("A reload and an upgrade go on beside a bad endpoint, and a strict reload refuses it") {
  World world;
  world.configure();
  AgentProcess agent(world.directory);
  REQUIRE(agent.serves());
  const std::string more = world.directory / "more/more.sock";
  Obstacle obstacle("link", more);
  const auto configure = [&](const std::string& strict) {
    world.configure(strict, "[endpoints.more]\naddress = \"unix://" + more +
                                "\"\nservices = [\"longshore.echo.v1.Echo\"]\n");
  };
  configure("strict = true\n");
  REQUIRE(agent.reload());
  INFO(world.directory.log());
  CHECK(world.reason_of("more") == "there is none");
  configure({});
  REQUIRE(agent.reload());
  CHECK_THAT(world.reason_of("more"), Contains("there is a link"));
  CHECK(upgrade(world.directory, "echo", built_module("echo")).code == StatusCode::kOk);
  CHECK(world.echo_serves());
  CHECK_THAT(world.reason_of("more"), Contains("there is a link"));
  CHECK(fs::is_symlink(more));
  obstacle.remove();
  CHECK(eventually([&] { return world.reason_of("more").empty(); }));
  CHECK(agent.stop() == 0);
}

TEST_CASE("Sockets that systemd holds serve beside a bad endpoint, and are not in their own way") {
  World world;
  world.configure();
  const FileDescriptor made = listen_on(world.directory.echo_socket());
  Obstacle obstacle("listener", world.directory.filesystem_socket("v1"));
  AgentProcess agent(world.directory, {.sockets = {made.get()}});
  INFO(world.directory.log());
  REQUIRE(agent.serves());
  CHECK(world.echo_serves());
  CHECK_THAT(world.reason_of("filesystem-v1"), Contains("listens on it"));
  obstacle.remove();
  CHECK(eventually([&] { return world.reason_of("filesystem-v1").empty(); }));
  CHECK(world.filesystem_serves());
  CHECK(agent.stop() == 0);
  CHECK(fs::is_socket(world.directory.echo_socket()));
}
