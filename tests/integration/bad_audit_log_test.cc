// An audit log that cannot be opened, beside all else that serves.
#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <string>

#include "longshore/admin/v1.pb.h"
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

struct AuditedAgent {
  void configure(bool required, const std::string& agent = {}) const {
    directory.configure("[agent.http]\naddress = \"unix://" + http() +
                        "\"\n[agent.audit]\nfile = \"" + file +
                        "\"\nrequired = " + (required ? "true" : "false") + "\n");
    fs::create_directories(directory / "conf.d");
    write_file(directory / "conf.d/agent.toml", "[agent]\n" + agent);
  }
  std::string http() const { return directory / "http/http.sock"; }
  std::string get(const std::string& path) const {
    const HttpResponse response = HttpConnection(http()).get(path);
    CHECK(response.status == 200);
    return response.body;
  }

  // What is wrong with the place of the file, until it is mended.
  void spoil(const std::string& kind) const {
    if (kind == "missing folder") return;
    fs::create_directories(folder);
    if (kind == "open folder") REQUIRE(::chmod(folder.c_str(), 0777) == 0);
    if (kind == "a folder") fs::create_directory(file);
  }
  void mend(const std::string& kind) const {
    if (kind == "missing folder") fs::create_directory(folder);
    if (kind == "open folder") REQUIRE(::chmod(folder.c_str(), 0755) == 0);
    if (kind == "a folder") fs::remove(file);
  }

  Answer make(const std::string& name) const {
    TestClient client(directory.filesystem_socket("v1"));
    return *client.call("v1.Filesystem/Mkdir", WireWriter().text(1, directory.root() + "/" + name));
  }
  ProgramRun control(const std::string& command) const {
    return run_program(
        {built_program("longshorectl"), "--socket", directory.control_socket(), command});
  }
  admin::v1::GetStatusResponse status() const {
    TestClient client(directory.control_socket());
    const auto answer = client.call("longshore.admin.v1.Admin/GetStatus", {});
    admin::v1::GetStatusResponse status;
    REQUIRE(status.ParseFromString(answer->messages.at(0)));
    return status;
  }
  ProgramRun check() const {
    return run_program({built_program("longshored"), "--check", "--config", directory.config_file(),
                        "--no-ownership-check", "--module-dir",
                        fs::path(built_module("echo")).parent_path()});
  }
  std::string written() const {
    std::ifstream stream(file);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  AgentDirectory directory;
  const std::string folder = directory / "audit";
  const std::string file = folder + "/audit.jsonl";
};

}  // namespace

TEST_CASE("An audit log that cannot be opened is told, and all else serves until it can be") {
  const std::string kind = GENERATE("missing folder", "open folder", "a folder");
  const bool required = GENERATE(false, true);
  CAPTURE(kind, required);
  AuditedAgent world;
  world.configure(required);
  world.spoil(kind);
  const ProgramRun checked = world.check();
  CHECK(checked.exit_code == 2);
  CHECK_THAT(checked.errors, Contains("agent.audit.file: ") && Contains(world.folder));

  AgentProcess agent(world.directory);
  INFO(world.directory.log());
  REQUIRE(agent.serves());
  CHECK_THAT(world.directory.log(), Contains("agent.audit.file"));
  const Answer made = world.make("made");
  CHECK(made.code() == (required ? StatusCode::kUnavailable : StatusCode::kOk));
  if (required) CHECK_THAT(made.text(), Contains("agent.audit.file") && Contains(world.folder));
  CHECK(fs::exists(world.directory.root() + "/made") == !required);

  // The last line may follow its answer.
  const int waiting = required ? 0 : 2;
  CHECK(eventually([&] { return world.status().audit().lines_waiting() == waiting; }));
  const auto status = world.status();
  CHECK_THAT(status.audit().reason(), Contains(world.folder));
  CHECK(status.audit().required() == required);
  CHECK(status.audit().calls_refused() == (required ? 1 : 0));
  CHECK(status.calls_failed() == (required ? 1 : 0));
  CHECK_THAT(world.control("status").output,
             Contains(required ? "not written, 1 calls refused" : "not written, 2 waiting") &&
                 Contains(status.audit().reason()));
  CHECK_THAT(world.get("/readyz"), Contains(world.folder));
  CHECK_THAT(world.get("/readyz?verbose"), Contains("[-]audit log is not written: "));
  CHECK_THAT(world.get("/metrics"), Contains("longshore_audit_up 0\n"));

  world.mend(kind);
  CHECK(eventually([&] { return world.get("/readyz") == "ok\n"; }));  // without a call
  CHECK_THAT(world.control("status").output, !Contains("not written"));
  CHECK_THAT(world.get("/metrics"), Contains("longshore_audit_up 1\n"));
  CHECK_THAT(world.written(),
             Contains(required ? R"("lines":0,"refused_calls":1)" : R"("event":"begin")"));
  CHECK(world.make("later").code() == StatusCode::kOk);
  CHECK(world.check().exit_code == 0);
  CHECK(agent.stop() == 0);
}

TEST_CASE("A strict agent does not start without its audit log, and names the key") {
  AuditedAgent world;
  world.configure(false, "strict = true\n");
  AgentProcess agent(world.directory);
  CHECK_FALSE(agent.serves());
  CHECK(agent.wait() == 3);
  CHECK_THAT(world.directory.log(), Contains("agent.audit.file") && Contains(world.folder));
}

TEST_CASE("A reload goes on beside an audit log that cannot be opened anew, and tells it") {
  AuditedAgent world;
  world.configure(true);
  fs::create_directory(world.folder);
  AgentProcess agent(world.directory);
  INFO(world.directory.log());
  REQUIRE(agent.serves());
  CHECK(world.make("before").code() == StatusCode::kOk);
  fs::rename(world.file, world.file + ".1");
  world.spoil("a folder");
  const ProgramRun reloaded = world.control("reload");
  CHECK(reloaded.exit_code == 0);
  CHECK_THAT(reloaded.output, Contains("agent.audit.file"));
  CHECK_THAT(world.get("/readyz"), Contains("agent.audit.file"));
  CHECK(world.make("meanwhile").code() == StatusCode::kOk);  // it has its line in the old file
  world.mend("a folder");
  CHECK(eventually([&] { return world.get("/readyz") == "ok\n"; }));
  CHECK_THAT(world.written(), Contains(R"("event":"opened")"));
  CHECK(agent.stop() == 0);
}
