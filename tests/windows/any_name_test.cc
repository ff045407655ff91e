// Programs, configuration, modules and logs of the agent below a folder whose name has letters of
// many languages, as an installation's may: no ANSI code page has all of them.
#include <catch2/catch.hpp>
#include <filesystem>
#include <string>

#include "longshore/windows/wide_text.hpp"
#include "tests/support/eventually.h"
#include "tests/support/test_client.h"
#include "tests/windows/agent_program.h"

using namespace longshore;
using namespace longshore::test;
using Catch::Contains;

namespace {

namespace fs = std::filesystem;

fs::path path_of(const std::string& text) { return wide(text); }

class AnyName {
 public:
  AnyName() {
    fs::create_directories(path_of(place));
    for (const char* const program : {"longshored", "longshorectl", "longshore-modulehost"}) {
      put(std::string(program) + ".exe", std::string(program) + ".exe");
    }
    put("longshore-echo.dll", "эхо.dll");
    put("longshore-trial.dll", "проба.dll");
    const auto endpoint = [&](const std::string& name, const std::string& service) {
      return "[endpoints." + name + "]\naddress = 'npipe://" + pipe(name) + "'\nservices = ['" +
             service + "']\n[modules." + name + "]\n";
    };
    write_file(path_of(config_file()), folder.agent_section(place) + "[agent.log]\nfile = '" +
                                           log() + "'\n[agent.audit]\nfile = '" + audit() + "'\n" +
                                           endpoint("echo", "longshore.echo.v1.Echo") +
                                           "library = '" + place + "\\эхо.dll'\n" +
                                           endpoint("trial", "trial.v1.Trial") + "library = '" +
                                           place + "\\проба.dll'\nisolation = 'process'\n");
  }

  std::string config_file() const { return place + "\\agent.toml"; }
  std::string log() const { return place + "\\log\\журнал.log"; }
  std::string audit() const { return place + "\\audit.jsonl"; }
  std::string pipe(const std::string& name) const { return folder.echo_pipe() + "-" + name; }
  std::string call(const std::string& name, const std::string& method,
                   const std::string& request) const {
    TestClient client(pipe(name));
    return client.call(method, request)->messages.at(0);
  }
  ProgramEndState ctl(const std::vector<std::string>& words) const {
    return run_program(place + "\\longshorectl", words);
  }

  AgentFolder folder;
  const std::string place = (folder / "") + "узел 节点 ä";

 private:
  void put(const std::string& file, const std::string& as) const {
    fs::copy_file(path_of(folder_of_programs() + "\\" + file), path_of(place + "\\" + as));
  }
};

// Until it serves, by its log.
class RunningThere {
 public:
  explicit RunningThere(const AnyName& where)
      : before_(text_of(where.log()).size()),
        program_(where.place + "\\longshored", {"--config", where.config_file()},
                 where.folder / "output") {
    const bool has_come = eventually([&] {
      return text_of(where.log()).find(" INFO  serving ", before_) != std::string::npos ||
             program_.exit_code();
    });
    CAPTURE(text_of(where.folder / "output"), text_of(where.log()));
    REQUIRE(has_come);
    REQUIRE_FALSE(program_.exit_code());
  }

 private:
  const size_t before_;
  StartedProgram program_;
};

}  // namespace

TEST_CASE("the agent's own files have names in any language") {
  const AnyName where;
  {
    const RunningThere agent(where);
    CHECK(where.call("echo", "longshore.echo.v1.Echo/Say", "\x0a\x05hello") == "\x0a\x05hello");
    CHECK(where.call("trial", "trial.v1.Trial/Do", "say there") == "there");
    CHECK(fs::exists(path_of(where.place + "\\state\\trial")));
    const auto status = where.ctl({"--socket", where.folder.control_pipe(), "status"});
    CAPTURE(status.output);
    CHECK(status.exit_code == 0);
  }
  // Which is now killed. The next one knows the audit log's chain, and goes on in another file.
  const RunningThere next(where);
  fs::rename(path_of(where.audit()), path_of(where.audit() + ".1"));
  TestClient control(where.folder.control_pipe());
  CHECK(control.call("longshore.admin.v1.Admin/Reload", "")->code() == StatusCode::kOk);
  const auto verified = where.ctl({"audit", "verify", where.audit()});
  CAPTURE(verified.output);
  CHECK(verified.exit_code == 0);
  CHECK_THAT(verified.output, Contains(": whole"));
  const auto checked = where.ctl({"config", "check", where.config_file()});
  CAPTURE(checked.output);
  CHECK(checked.exit_code == 0);
  const auto refused = where.ctl({"config", "check", where.place + "\\нет.toml"});
  CHECK_THAT(refused.output, Contains("узел 节点 ä\\нет.toml"));
}
