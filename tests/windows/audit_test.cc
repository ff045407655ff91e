// The audit log of longshored.exe: which caller has done what, by account, process and program, in
// a file that is moved and opened anew while the agent has it.
#include <windows.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "config/user_names.h"
#include "longshore/windows/wide_text.hpp"
#include "tests/support/eventually.h"
#include "tests/support/test_client.h"
#include "tests/support/wire_writer.h"
#include "tests/windows/agent_program.h"

using namespace longshore;
using namespace longshore::test;
using Catch::Contains;

namespace {

namespace fs = std::filesystem;

const std::string kMkdir = "v1.Filesystem/Mkdir";
const std::string kRmdir = "v1.Filesystem/Rmdir";

// A path as JSON and the log have it.
std::string escaped_path(std::string path) {
  for (size_t at = 0; (at = path.find('\\', at)) != std::string::npos; at += 2)
    path.insert(at, 1, '\\');
  return path;
}

std::string own_program() {
  wchar_t path[MAX_PATH * 4] = {};
  GetModuleFileNameW(nullptr, path, static_cast<DWORD>(std::size(path)));
  return narrow(path);
}

// An agent whose filesystem group makes directories for us and removes none.
class AuditedAgent {
 public:
  AuditedAgent() {
    folder.configure("[agent.audit]\nfile = '" + file() +
                     "'\n[modules.filesystem]\nsettings.allowed_roots = ['" + (folder / "root") +
                     "']\n[modules.filesystem.permissions.makers]\nusers = ['" +
                     config::own_user_id() + "']\nmethods = ['" + kMkdir + "']\n");
    fs::create_directory(folder / "root");
  }

  std::string file() const { return folder / "audit.jsonl"; }
  std::string pipe() const { return folder.csi_proxy_pipe("filesystem-v1"); }
  StatusCode call(const std::string& method, const std::string& name) const {
    TestClient client(pipe());
    return client.call(method, WireWriter().text(1, folder / ("root\\" + name)))->code();
  }

  // Those that have come by now, without the line that opens the file.
  static std::vector<std::string> lines(const std::string& file) {
    std::vector<std::string> lines;
    std::istringstream stream(text_of(file));
    for (std::string line; std::getline(stream, line);) {
      if (line.find("\"event\":\"opened\"") == std::string::npos) lines.push_back(line);
    }
    return lines;
  }
  // The last line of a call may be written after its answer.
  std::vector<std::string> wait_for_lines(size_t count) const {
    CHECK(eventually([&] { return lines(file()).size() >= count; }));
    return lines(file());
  }

  AgentFolder folder;
};

}  // namespace

TEST_CASE("the audit log on Windows names the caller's account, process and program") {
  const AuditedAgent audited;
  const AgentProgram agent(audited.folder);
  CAPTURE(audited.folder.log());
  REQUIRE(agent.serves());
  CHECK(audited.call(kMkdir, "a") == StatusCode::kOk);
  CHECK(audited.call(kRmdir, "a") == StatusCode::kPermissionDenied);
  const std::string sid = "sid:" + config::own_user_id();
  const std::string process = std::to_string(GetCurrentProcessId());
  const std::string program = escaped_path(own_program());
  const std::string caller = R"("caller":")" + sid + R"(","on_behalf_of":")" + sid +
                             R"(","process":)" + process + R"(,"program":")" + program + "\",";
  const auto lines = audited.wait_for_lines(3);
  REQUIRE(lines.size() == 3);
  CHECK_THAT(lines[0], Contains(R"("event":"begin")") && Contains(caller) && Contains(kMkdir));
  CHECK_THAT(lines[1], Contains(R"("event":"end")") && Contains(R"("code":"OK")"));
  CHECK_THAT(lines[2], Contains(R"("event":"refused")") && Contains(caller) &&
                           Contains(R"("code":"PERMISSION_DENIED")"));
  CHECK_THAT(audited.folder.log(),
             Contains(sid + " may not call " + kRmdir) &&
                 Contains(" process=" + process + " program=\"" + program + '"'));
}

TEST_CASE("an audit log that was moved is opened anew by a reload, and its chain goes on") {
  const AuditedAgent audited;
  {
    const AgentProgram agent(audited.folder);
    CAPTURE(audited.folder.log());
    REQUIRE(agent.serves());
    CHECK(audited.call(kMkdir, "a") == StatusCode::kOk);
    REQUIRE(audited.wait_for_lines(2).size() == 2);
    fs::rename(audited.file(), audited.file() + ".1");
    CHECK(audited.call(kMkdir, "b") == StatusCode::kOk);
    CHECK(eventually([&] { return audited.lines(audited.file() + ".1").size() == 4; }));
    TestClient control(audited.folder.control_pipe());
    REQUIRE(control.call("longshore.admin.v1.Admin/Reload", "")->code() == StatusCode::kOk);
    CHECK(audited.call(kMkdir, "c") == StatusCode::kOk);
    // The end of the reload, which has its begin in the file before, and the two of the call.
    REQUIRE(audited.wait_for_lines(3).size() == 3);
  }
  // It was killed; the next one goes on in the file that is there.
  const AgentProgram next(audited.folder);
  REQUIRE(next.serves());
  CHECK(audited.call(kMkdir, "d") == StatusCode::kOk);
  REQUIRE(audited.wait_for_lines(5).size() == 5);
  const auto whole = run_program("longshorectl", {"audit", "verify", audited.file()});
  CAPTURE(whole.output);
  CHECK(whole.exit_code == 0);
  CHECK_THAT(whole.output, Contains(": whole"));
  std::string text = text_of(audited.file() + ".1");
  const size_t at = text.find("root");
  REQUIRE(at != std::string::npos);
  write_file(fs::path(audited.file() + ".1"), text.replace(at, 4, "else"));
  const auto changed = run_program("longshorectl", {"audit", "verify", audited.file()});
  CHECK(changed.exit_code == 2);
  CHECK_THAT(changed.output, Contains("NOT WHOLE"));
}
