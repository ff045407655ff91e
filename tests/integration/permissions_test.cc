// Who may call what, and what the audit log says of it: two users and root, on real sockets.
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "longshore/admin/v1.pb.h"
#include "tests/integration/echo_requests.h"
#include "tests/integration/permissions_world.h"
#include "tests/integration/user_client.h"
#include "tests/support/agent_process.h"
#include "tests/support/build_tree.h"
#include "tests/support/program_run.h"
#include "tests/support/test_client.h"
#include "tests/support/wire_writer.h"

using namespace longshore;
using namespace longshore::test;

namespace {

namespace fs = std::filesystem;

}  // namespace

TEST_CASE("Users call what the rules of endpoint and module allow them, and are audited") {
  const std::string echo_rule =
      "[modules.echo.permissions.all]\nusers = [\"*\"]\nmethods = [\"reads_only\"]\n";
  ServingWorld world(
      "[modules.hostile.permissions.players]\ngroups = [\"games\"]\nmethods = [\"*\"]\n" +
          echo_rule,
      "[endpoints.all.permissions.guests]\nusers = [\"nobody\"]\n"
      "methods = [\"longshore.echo.v1.Echo/Say\"]\n"
      "[endpoints.all.permissions.staff]\nusers = [\"daemon\", \"root\"]\nmethods = [\"*\"]\n");

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

  const auto lines = world.audited(4);
  REQUIRE(lines.size() == 4);
  CHECK(has(lines[0], R"("caller":"uid:65534","on_behalf_of":"uid:65534","process":)" +
                          std::to_string(getpid())));
  CHECK(has(lines[0], R"("module":"hostile","method":"hostile.v1.Hostile/Do",)"
                      R"("code":"PERMISSION_DENIED")"));
  CHECK(has(lines[1], R"("caller":"uid:1",)"));
  CHECK(has(lines[1], R"("object":"disk 2","request":{"object":"disk 2"},)"));
  CHECK(has(lines[1], R"("object":"disk 2","code":"OK",)"));
  CHECK(has(lines[2], R"("caller":"uid:1",)"));
  CHECK(has(lines[3], R"("caller":"uid:0",)"));
  for (const std::string& line : lines) CHECK_FALSE(has(line, "hush"));
  CHECK_FALSE(has(world.directory.log(), "hush"));
  CHECK(has(world.directory.log(), "uid:65534 may not call longshore.echo.v1.Echo/Describe"));
  struct stat status {};
  REQUIRE(stat(world.audit_file().c_str(), &status) == 0);
  CHECK((status.st_mode & 0777 & ~0640u) == 0);
  nobody->close();
  player->close();
  daemon->close();
  root.close();
  CHECK(world.agent.stop() == 0);
}

TEST_CASE("A reload changes rules for connections that are open, and leaves the module alone") {
  const std::string of_nobody = "users = [\"nobody\"]\nmethods = [\"*\"]\n";
  ServingWorld world;
  const auto nobody = client_of(world.socket(), kNobody, kNobody);
  const auto daemon = client_of(world.socket(), kDaemon, kDaemon);
  CHECK(nobody->call(kDo, "")->code() == StatusCode::kOk);
  CHECK(daemon->call(kDo, "")->code() == StatusCode::kOk);

  world.configure("[modules.hostile.permissions.one]\n" + of_nobody, {});
  REQUIRE(world.agent.reload());
  CHECK(nobody->call(kDo, "")->code() == StatusCode::kOk);
  CHECK(daemon->call(kDo, "")->code() == StatusCode::kPermissionDenied);
  world.configure({}, "[endpoints.all.permissions.one]\n" + of_nobody);
  REQUIRE(world.agent.reload());
  CHECK(nobody->call(kDo, "")->code() == StatusCode::kOk);
  CHECK(daemon->call(kDo, "")->code() == StatusCode::kPermissionDenied);
  CHECK(daemon->call(kSay, say("hello"))->code() == StatusCode::kPermissionDenied);
  // A rule with a mistake changes nothing: who was refused still is.
  world.configure({}, "[endpoints.all.permissions.one]\nusers = [\"nobdoy\"]\nmethods = [\"*\"]\n");
  world.agent.reload();
  CHECK(nobody->call(kDo, "")->code() == StatusCode::kOk);
  CHECK(daemon->call(kDo, "")->code() == StatusCode::kPermissionDenied);
  world.configure({}, {});
  REQUIRE(world.agent.reload());
  CHECK(daemon->call(kDo, "")->code() == StatusCode::kOk);
  world.configure("deny_methods = [\"hostile.v1.Hostile/Do\"]\n", {});
  REQUIRE(world.agent.reload());
  CHECK(daemon->call(kDo, "")->code() == StatusCode::kPermissionDenied);

  const std::string log = world.directory.log();
  const std::string started = "starting module module=hostile";
  CHECK(has(log, started));
  CHECK_FALSE(has(log.substr(log.find(started) + 1), started));
  nobody->close();
  daemon->close();
  CHECK(world.agent.stop() == 0);
}

TEST_CASE("Rules hold though the module that they came with did not start") {
  ServingWorld world;
  const auto nobody = client_of(world.socket(), kNobody, kNobody);
  CHECK(nobody->call(kDo, "")->code() == StatusCode::kOk);
  world.configure("[modules.hostile.permissions.one]\nusers = [\"root\"]\nmethods = [\"*\"]\n", {},
                  {}, "start_fails");
  REQUIRE(world.agent.reload());
  CHECK(has(world.directory.log(), "is put back as it was"));
  CHECK(has(nobody->call(kDo, "")->text(), "modules.hostile.permissions"));
  CHECK(TestClient(world.socket()).call(kDo, "")->code() == StatusCode::kOk);
  nobody->close();
  CHECK(world.agent.stop() == 0);
}

TEST_CASE("A rule of permissions holds where csi-proxy's sockets are opened to others") {
  ServingWorld world({}, {},
                     "[endpoints.csi_proxy_access]\nmode = \"0666\"\n"
                     "[endpoints.csi_proxy_access.permissions.readers]\nusers = [\"*\"]\n"
                     "methods = [\"reads_only\"]\n");
  const auto nobody = client_of(world.directory.filesystem_socket("v1"), kNobody, kNobody);
  const std::string path = WireWriter().text(1, world.directory.root() + "/new");
  CHECK(nobody->call("v1.Filesystem/PathExists", path)->code() == StatusCode::kOk);
  const auto refused = nobody->call("v1.Filesystem/Mkdir", path);
  CHECK(refused->code() == StatusCode::kPermissionDenied);
  CHECK(has(refused->text(), "endpoints.csi_proxy_access.permissions"));
  CHECK_FALSE(fs::exists(world.directory.root() + "/new"));
  nobody->close();
  CHECK(world.agent.stop() == 0);
}

TEST_CASE("After logrotate a reload opens the audit log anew; what the agent is told is in it") {
  ServingWorld world;
  TestClient client(world.socket());
  CHECK(client.call(kDo, do_request("before"))->code() == StatusCode::kOk);
  fs::rename(world.audit_file(), world.directory / "audit.jsonl.1");
  CHECK(client.call(kDo, do_request("moved"))->code() == StatusCode::kOk);
  REQUIRE(world.agent.reload());
  CHECK(client.call(kDo, do_request("after"))->code() == StatusCode::kOk);
  CHECK(TestClient(world.directory.control_socket())
            .call("longshore.admin.v1.Admin/Reload", "")
            ->code() == StatusCode::kOk);
  REQUIRE(world.audited(2, "audit.jsonl.1").size() == 2);
  CHECK(has(world.audited(2, "audit.jsonl.1")[1], "moved"));
  const auto lines = world.audited(2);
  REQUIRE(lines.size() == 2);
  CHECK(has(lines[0], "after"));
  CHECK(has(lines[1], R"("module":"agent","method":"longshore.admin.v1.Admin/Reload")"));
  client.close();
  CHECK(world.agent.stop() == 0);
}

TEST_CASE("With the commands of the manual a module is signed, and another file is not loaded") {
  constexpr const char* kOpenssl = "/usr/bin/openssl";
  if (!fs::exists(kOpenssl)) {
    std::cout << "SKIPPED: openssl is not installed\n";
    return;
  }
  PermissionsWorld world;
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

  // Where all must be signed, a reload tells which is not; what runs of it goes on.
  world.directory.configure("[agent.signatures]\nrequired = true\n" + rules.substr(19));
  const auto unsigned_one = control.call("longshore.admin.v1.Admin/Reload", "");
  REQUIRE(unsigned_one->code() == StatusCode::kOk);
  CHECK(has(unsigned_one->messages.at(0), "longshore-echo.so.sig"));
  CHECK_FALSE(has(unsigned_one->messages.at(0), "longshore-acme.so.sig"));
  world.directory.configure(rules);
  fs::resize_file(module, fs::file_size(module) + 1);
  const auto changed = control.call("longshore.admin.v1.Admin/Reload", "");
  REQUIRE(changed->code() == StatusCode::kOk);
  CHECK(has(changed->messages.at(0), "or the file was changed after it was signed"));
  CHECK(control.call(kDo, "")->code() == StatusCode::kOk);
  control.close();
  CHECK(agent.stop() == 0);
}
