// Who may call what, and what the audit log says of it: two users and root, on real sockets.
#include <grp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "longshore/admin/v1.pb.h"
#include "tests/integration/echo_requests.h"
#include "tests/support/agent_process.h"
#include "tests/support/build_tree.h"
#include "tests/support/program_run.h"
#include "tests/support/test_client.h"
#include "tests/support/wire_writer.h"
#include "tests/unit/observe/log_lines.h"

using namespace longshore;
using namespace longshore::test;

namespace {

namespace fs = std::filesystem;

constexpr unsigned kNobody = 65534;
constexpr unsigned kDaemon = 1;
constexpr unsigned kGames = 60;

const std::string kSay = "longshore.echo.v1.Echo/Say";
const std::string kDo = "hostile.v1.Hostile/Do";

// A client as another user sees it: the system notes who connects at the moment of connecting.
std::unique_ptr<TestClient> client_of(const std::string& socket, unsigned user, unsigned group,
                                      const std::vector<gid_t>& more_groups = {}) {
  const int process_groups = getgroups(0, nullptr);
  std::vector<gid_t> before(static_cast<size_t>(process_groups));
  REQUIRE(getgroups(process_groups, before.data()) == process_groups);
  REQUIRE(setgroups(more_groups.size(), more_groups.data()) == 0);
  REQUIRE(setegid(group) == 0);
  REQUIRE(seteuid(user) == 0);
  std::unique_ptr<TestClient> client;
  try {
    client = std::make_unique<TestClient>(socket);
  } catch (const std::exception& error) {
    UNSCOPED_INFO(error.what());
  }
  REQUIRE(seteuid(0) == 0);
  REQUIRE(setegid(0) == 0);
  REQUIRE(setgroups(before.size(), before.data()) == 0);
  REQUIRE(client);
  return client;
}

// An agent with a module that changes things, or says so, and rules for it.
struct World {
  World() {
    // The folders above are the test's; those of the sockets are the agent's.
    fs::permissions(fs::path(directory.config_file()).parent_path(), fs::perms(0755));
  }

  void configure(const std::string& module_rules, const std::string& endpoint_rules,
                 const std::string& more = {}, const std::string& module = "tells_caller") const {
    directory.configure("[agent.audit]\nfile = \"" + audit_file() +
                        "\"\n[modules.hostile]\nlibrary = \"" + hostile_module(module) + "\"\n" +
                        module_rules + "[endpoints.all]\naddress = \"unix://" + socket() +
                        "\"\nmode = \"0666\"\nservices = [\"longshore.echo.v1.Echo\", "
                        "\"hostile.v1.Hostile\"]\n" +
                        endpoint_rules + more);
  }
  std::string socket() const { return directory / "all/all.sock"; }
  std::string audit_file() const { return directory / "audit.jsonl"; }
  std::vector<std::string> audited(const std::string& name = "audit.jsonl") const {
    return lines_of(directory / name);
  }

  AgentDirectory directory;
};

std::string do_request(const std::string& object) {
  return WireWriter().text(1, object).text(2, "hush, this is secret");
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("Users call what the rules of endpoint and module allow them, and are audited") {
  World world;
  const std::string echo_rule =
      "[modules.echo.permissions.all]\nusers = [\"*\"]\nmethods = [\"reads_only\"]\n";
  world.configure(
      "[modules.hostile.permissions.players]\ngroups = [\"games\"]\nmethods = [\"*\"]\n" +
          echo_rule,
      "[endpoints.all.permissions.guests]\nusers = [\"nobody\"]\n"
      "methods = [\"longshore.echo.v1.Echo/Say\"]\n"
      "[endpoints.all.permissions.staff]\nusers = [\"daemon\", \"root\"]\nmethods = [\"*\"]\n");
  AgentProcess agent(world.directory);
  INFO(world.directory.log());
  REQUIRE(agent.serves());

  const auto nobody = client_of(world.socket(), kNobody, kNobody);
  CHECK(nobody->call(kSay, say("hello"))->code() == StatusCode::kOk);
  const auto refused = nobody->call(kDo, do_request("disk 1"));
  CHECK(refused->code() == StatusCode::kPermissionDenied);
  CHECK(refused->text() ==
        "uid:65534 may not call hostile.v1.Hostile/Do; endpoints.all.permissions in the "
        "configuration does not allow it");
  CHECK(nobody->call("longshore.echo.v1.Echo/Describe", "")->code() ==
        StatusCode::kPermissionDenied);

  const auto player = client_of(world.socket(), kDaemon, kDaemon, {7, kGames});
  const auto answered = player->call(kDo, do_request("disk 2"));
  REQUIRE(answered->code() == StatusCode::kOk);
  CHECK(answered->messages.at(0) == "uid:1 for uid:1");
  // Without the group the endpoint's rule is not enough; nor is being root.
  const auto daemon = client_of(world.socket(), kDaemon, kDaemon);
  CHECK(has(daemon->call(kDo, do_request("disk 3"))->text(), "modules.hostile.permissions"));
  TestClient root(world.directory.control_socket());
  CHECK(root.call(kDo, do_request("disk 4"))->code() == StatusCode::kPermissionDenied);

  const auto lines = world.audited();
  REQUIRE(lines.size() == 4);
  CHECK(has(lines[0], R"("caller":"uid:65534","on_behalf_of":"uid:65534","process":)" +
                          std::to_string(getpid())));
  CHECK(has(lines[0], R"("module":"hostile","method":"hostile.v1.Hostile/Do","object":"disk 1",)"
                      R"("code":"PERMISSION_DENIED")"));
  CHECK(has(lines[1], R"("caller":"uid:1",)"));
  CHECK(has(lines[1], R"("object":"disk 2","request":{"object":"disk 2"},"code":"OK",)"));
  CHECK(has(lines[2], R"("object":"disk 3",)"));
  CHECK(has(lines[3], R"("caller":"uid:0",)"));
  for (const std::string& line : lines) CHECK_FALSE(has(line, "hush"));
  CHECK_FALSE(has(world.directory.log(), "hush"));
  CHECK(has(world.directory.log(), "uid:65534 may not call longshore.echo.v1.Echo/Describe"));
  struct stat status {};
  REQUIRE(stat(world.audit_file().c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0600);
  CHECK(agent.stop() == 0);
}

TEST_CASE("A reload changes rules for connections that are open, and leaves the module alone") {
  World world;
  const std::string of_nobody = "users = [\"nobody\"]\nmethods = [\"*\"]\n";
  world.configure({}, {});
  AgentProcess agent(world.directory);
  INFO(world.directory.log());
  REQUIRE(agent.serves());
  const auto nobody = client_of(world.socket(), kNobody, kNobody);
  const auto daemon = client_of(world.socket(), kDaemon, kDaemon);
  CHECK(nobody->call(kDo, "")->code() == StatusCode::kOk);
  CHECK(daemon->call(kDo, "")->code() == StatusCode::kOk);

  world.configure("[modules.hostile.permissions.one]\n" + of_nobody, {});
  REQUIRE(agent.reload());
  CHECK(nobody->call(kDo, "")->code() == StatusCode::kOk);
  CHECK(daemon->call(kDo, "")->code() == StatusCode::kPermissionDenied);
  world.configure({}, "[endpoints.all.permissions.one]\n" + of_nobody);
  REQUIRE(agent.reload());
  CHECK(nobody->call(kDo, "")->code() == StatusCode::kOk);
  CHECK(daemon->call(kDo, "")->code() == StatusCode::kPermissionDenied);
  CHECK(daemon->call(kSay, say("hello"))->code() == StatusCode::kPermissionDenied);
  // A rule with a mistake changes nothing: who was refused still is.
  world.configure({}, "[endpoints.all.permissions.one]\nusers = [\"nobdoy\"]\nmethods = [\"*\"]\n");
  agent.reload();
  CHECK(nobody->call(kDo, "")->code() == StatusCode::kOk);
  CHECK(daemon->call(kDo, "")->code() == StatusCode::kPermissionDenied);
  world.configure({}, {});
  REQUIRE(agent.reload());
  CHECK(daemon->call(kDo, "")->code() == StatusCode::kOk);
  world.configure("deny_methods = [\"hostile.v1.Hostile/Do\"]\n", {});
  REQUIRE(agent.reload());
  CHECK(daemon->call(kDo, "")->code() == StatusCode::kPermissionDenied);

  const std::string log = world.directory.log();
  const std::string started = "starting module module=hostile";
  CHECK(has(log, started));
  CHECK_FALSE(has(log.substr(log.find(started) + 1), started));
  CHECK(agent.stop() == 0);
}

TEST_CASE("Rules hold though the module that they came with did not start") {
  World world;
  world.configure({}, {});
  AgentProcess agent(world.directory);
  INFO(world.directory.log());
  REQUIRE(agent.serves());
  const auto nobody = client_of(world.socket(), kNobody, kNobody);
  CHECK(nobody->call(kDo, "")->code() == StatusCode::kOk);
  world.configure("[modules.hostile.permissions.one]\nusers = [\"root\"]\nmethods = [\"*\"]\n", {},
                  {}, "start_fails");
  REQUIRE(agent.reload());
  CHECK(has(world.directory.log(), "is put back as it was"));
  CHECK(has(nobody->call(kDo, "")->text(), "modules.hostile.permissions"));
  CHECK(TestClient(world.socket()).call(kDo, "")->code() == StatusCode::kOk);
  CHECK(agent.stop() == 0);
}

TEST_CASE("A rule of permissions holds where csi-proxy's sockets are opened to others") {
  World world;
  world.configure({}, {},
                  "[endpoints.csi_proxy_access]\nmode = \"0666\"\n"
                  "[endpoints.csi_proxy_access.permissions.readers]\nusers = [\"*\"]\n"
                  "methods = [\"reads_only\"]\n");
  AgentProcess agent(world.directory);
  INFO(world.directory.log());
  REQUIRE(agent.serves());
  const auto nobody = client_of(world.directory.filesystem_socket("v1"), kNobody, kNobody);
  const std::string path = WireWriter().text(1, world.directory.root() + "/new");
  CHECK(nobody->call("v1.Filesystem/PathExists", path)->code() == StatusCode::kOk);
  const auto refused = nobody->call("v1.Filesystem/Mkdir", path);
  CHECK(refused->code() == StatusCode::kPermissionDenied);
  CHECK(has(refused->text(), "endpoints.csi_proxy_access.permissions"));
  CHECK_FALSE(fs::exists(world.directory.root() + "/new"));
  CHECK(agent.stop() == 0);
}

TEST_CASE("After logrotate a reload opens the audit log anew; what the agent is told is in it") {
  World world;
  world.configure({}, {});
  AgentProcess agent(world.directory);
  INFO(world.directory.log());
  REQUIRE(agent.serves());
  TestClient client(world.socket());
  CHECK(client.call(kDo, do_request("before"))->code() == StatusCode::kOk);
  fs::rename(world.audit_file(), world.directory / "audit.jsonl.1");
  CHECK(client.call(kDo, do_request("moved"))->code() == StatusCode::kOk);
  REQUIRE(agent.reload());
  CHECK(client.call(kDo, do_request("after"))->code() == StatusCode::kOk);
  CHECK(TestClient(world.directory.control_socket())
            .call("longshore.admin.v1.Admin/Reload", "")
            ->code() == StatusCode::kOk);
  REQUIRE(world.audited("audit.jsonl.1").size() == 2);
  CHECK(has(world.audited("audit.jsonl.1")[1], "moved"));
  const auto lines = world.audited();
  REQUIRE(lines.size() == 2);
  CHECK(has(lines[0], "after"));
  CHECK(has(lines[1], R"("module":"agent","method":"longshore.admin.v1.Admin/Reload")"));
  CHECK(agent.stop() == 0);
}

TEST_CASE("With the commands of the manual a module is signed, and another file is not loaded") {
  constexpr const char* kOpenssl = "/usr/bin/openssl";
  if (!fs::exists(kOpenssl)) {
    std::cout << "SKIPPED: openssl is not installed\n";
    return;
  }
  World world;
  const auto run = [](std::vector<std::string> words) {
    words.insert(words.begin(), kOpenssl);
    const ProgramRun result = run_program(std::move(words));
    INFO(result.errors);
    REQUIRE(result.exit_code == 0);
  };
  const std::string module = world.directory / "longshore-acme.so";
  const std::string secret = world.directory / "acme.key.pem";
  fs::create_directory(world.directory / "keys");
  fs::copy_file(hostile_module("tells_caller"), module);
  run({"genpkey", "-algorithm", "ed25519", "-out", secret});
  run({"pkey", "-in", secret, "-pubout", "-out", world.directory / "keys/acme.pem"});
  run({"pkeyutl", "-sign", "-rawin", "-inkey", secret, "-in", module, "-out", module + ".sig"});

  const std::string rules = "[agent.signatures]\nkeys_dir = \"" + (world.directory / "keys") +
                            "\"\n[modules.acme]\nlibrary = \"" + module + "\"\n";
  world.directory.configure(rules);
  AgentProcess agent(world.directory);
  INFO(world.directory.log());
  REQUIRE(agent.serves());
  TestClient control(world.directory.control_socket());
  CHECK(control.call(kDo, "")->code() == StatusCode::kOk);
  const auto listed = control.call("longshore.admin.v1.Admin/ListModules", "");
  admin::v1::ListModulesResponse modules;
  REQUIRE(modules.ParseFromString(listed->messages.at(0)));
  REQUIRE(modules.modules_size() == 3);
  CHECK(modules.modules(0).signed_by() == "acme");
  CHECK(modules.modules(1).signed_by().empty());

  // Where all must be signed, one that is not is a mistake that a reload tells, changing nothing.
  world.directory.configure("[agent.signatures]\nrequired = true\n" + rules.substr(19));
  const auto unsigned_one = control.call("longshore.admin.v1.Admin/Reload", "");
  CHECK(has(unsigned_one->text(), "longshore-echo.so.sig"));
  CHECK(control.call(kDo, "")->code() == StatusCode::kOk);
  world.directory.configure(rules);
  fs::resize_file(module, fs::file_size(module) + 1);
  const auto changed = control.call("longshore.admin.v1.Admin/Reload", "");
  CHECK(has(changed->text(), "or the file was changed after it was signed"));
  CHECK(control.call(kDo, "")->code() == StatusCode::kOk);
  CHECK(agent.stop() == 0);
}
