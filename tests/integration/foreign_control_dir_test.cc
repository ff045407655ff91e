// A control_dir that others could change: who may put a socket of theirs in its place would be
// told what root tells the agent.
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <string>

#include "tests/support/agent_process.h"
#include "tests/support/build_tree.h"
#include "tests/support/eventually.h"
#include "tests/support/http_connection.h"
#include "tests/support/program_run.h"
#include "tests/support/require.h"
#include "tests/support/test_client.h"
#include "tests/support/wire_writer.h"

using namespace longshore;
using namespace longshore::test;
using Catch::Contains;

namespace {

namespace fs = std::filesystem;

constexpr uid_t kSomebody = 65'534;

// An agent's folders, with the control socket in one that is not the agent's alone.
class SharedControl {
 public:
  explicit SharedControl(const std::string& how) : how_(how) {
    fs::create_directories(folder());
    if (how == "its folder is another's") give(folder());
    if (how == "the one above is another's") give(above());
    if (how == "others may write to the one above") {
      require(::chmod(above().c_str(), 0777) == 0, "cannot open a folder to all");
    }
  }

  // That the text says which folder it is, and why.
  void check_told(const std::string& text) const {
    CHECK_THAT(text, Contains(folder()));
    CHECK_THAT(text, Contains(how_.starts_with("others") ? "others may write to it"
                                                         : "it belongs to user 65534"));
  }

  void configure(bool strict) const {
    fs::create_directories(directory / "conf.d");
    write_file(directory / "conf.d/agent.toml", "[agent]\ncontrol_dir = \"" + folder() +
                                                    "\"\nstrict = " + (strict ? "true" : "false") +
                                                    "\n");
    directory.configure("[agent.http]\naddress = \"unix://" + http() + "\"\n");
  }

  void take_back() const {
    for (const std::string& path : {above(), folder()}) {
      require(::chown(path.c_str(), 0, 0) == 0 && ::chmod(path.c_str(), 0755) == 0,
              "cannot take back " + path);
    }
  }

  ProgramRun check() const {
    return run_program({built_program("longshored"), "--check", "--config", directory.config_file(),
                        "--no-ownership-check"});
  }
  StatusCode status() const {
    try {
      TestClient client(socket());
      return client.call("longshore.admin.v1.Admin/GetStatus", {})->code();
    } catch (const std::exception&) {
      return StatusCode::kUnavailable;  // nobody listens
    }
  }

  std::string folder() const { return above() + "/control"; }
  std::string socket() const { return folder() + "/control.sock"; }
  std::string http() const { return directory / "http/http.sock"; }

  AgentDirectory directory;

 private:
  std::string above() const { return directory / "given"; }
  static void give(const std::string& path) {
    require(::chown(path.c_str(), kSomebody, kSomebody) == 0, "cannot give away " + path);
  }

  const std::string how_;
};

}  // namespace

TEST_CASE("A control_dir that others could change is refused, and used once it is the agent's") {
  if (geteuid() != 0) {
    WARN("SKIPPED: only root gives folders away");
    return;
  }
  const std::string how = GENERATE("its folder is another's", "the one above is another's",
                                   "others may write to the one above");
  INFO(how);
  const SharedControl world(how);

  world.configure(true);
  CHECK(world.check().exit_code == 2);
  world.check_told(world.check().errors);
  {
    AgentProcess strict(world.directory);
    CHECK_FALSE(strict.serves());
    CHECK(strict.wait() == 3);
    world.check_told(world.directory.log());
  }

  world.configure(false);
  CHECK(world.check().exit_code == 2);
  AgentProcess agent(world.directory);
  INFO(world.directory.log());
  REQUIRE(agent.serves());
  CHECK_FALSE(fs::exists(world.socket()));
  const std::string ready = HttpConnection(world.http()).get("/readyz?verbose").body;
  CHECK_THAT(ready, Contains("[-]endpoint control not listening: "));
  world.check_told(ready);
  TestClient client(world.directory.filesystem_socket("v1"));
  CHECK(client.call("v1.Filesystem/PathExists", WireWriter().text(1, world.directory.root()))
            ->code() == StatusCode::kOk);
  world.take_back();
  CHECK(eventually([&] { return world.status() == StatusCode::kOk; }));
  CHECK(world.check().exit_code == 0);
  CHECK(agent.stop() == 0);
}
