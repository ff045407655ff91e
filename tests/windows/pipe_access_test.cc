// Who may open a pipe of longshored.exe's, and who may call there. Wine keeps nobody out: what is
// looked at is what the pipe says of itself, and what the agent decides.
#include <windows.h>
// windows.h comes before them.
#include <aclapi.h>
#include <sddl.h>

#include <catch2/catch.hpp>
#include <iterator>
#include <memory>
#include <string>

#include "config/user_names.h"
#include "longshore/windows/handle.hpp"
#include "longshore/windows/local_memory.hpp"
#include "longshore/windows/wide_text.hpp"
#include "tests/support/eventually.h"
#include "tests/support/test_client.h"
#include "tests/support/wire_writer.h"
#include "tests/windows/agent_program.h"

using namespace longshore;
using namespace longshore::test;
using Catch::Contains;

namespace {

constexpr const char* kDefault = "D:P(A;;GA;;;SY)(A;;GA;;;BA)";

// All that may be done with a file, as the rights of its kind have it.
std::string with_rights_of_files(std::string sddl) {
  for (size_t at = 0; (at = sddl.find(";GA;", at)) != std::string::npos;)
    sddl.replace(at, 4, ";FA;");
  return sddl;
}

// Who may open the pipe, as the system has it.
std::string openers_of(const std::string& pipe) {
  const TestClient keeps_an_instance(pipe);  // and has waited for a free one
  const Handle handle(CreateFileW(wide(pipe).c_str(), READ_CONTROL | GENERIC_READ | GENERIC_WRITE,
                                  0, nullptr, OPEN_EXISTING, 0, nullptr));
  REQUIRE(handle);
  PSECURITY_DESCRIPTOR descriptor = nullptr;
  REQUIRE(GetSecurityInfo(handle.get(), SE_KERNEL_OBJECT, DACL_SECURITY_INFORMATION, nullptr,
                          nullptr, nullptr, nullptr, &descriptor) == ERROR_SUCCESS);
  const LocalMemory<void> owned(descriptor);
  wchar_t* text = nullptr;
  REQUIRE(ConvertSecurityDescriptorToStringSecurityDescriptorW(
      descriptor, SDDL_REVISION_1, DACL_SECURITY_INFORMATION, &text, nullptr));
  const LocalMemory<wchar_t> owned_text(text);
  return with_rights_of_files(narrow(text));
}

// DOMAIN\user
std::string own_name() {
  PSID sid = nullptr;
  REQUIRE(ConvertStringSidToSidW(wide(config::own_user_id()).c_str(), &sid));
  const LocalMemory<void> owned(sid);
  wchar_t name[256] = {};
  wchar_t domain[256] = {};
  DWORD name_size = std::size(name);
  DWORD domain_size = std::size(domain);
  SID_NAME_USE use{};
  REQUIRE(LookupAccountSidW(nullptr, sid, name, &name_size, domain, &domain_size, &use));
  return narrow(domain) + "\\" + narrow(name);
}

// An agent with one more pipe, whose access is a test's.
class GuardedAgent {
 public:
  explicit GuardedAgent(const std::string& access) {
    configure(access);
    agent = std::make_unique<AgentProgram>(folder);
    CAPTURE(folder.log());
    REQUIRE(agent->serves());
  }

  void configure(const std::string& access) const {
    folder.configure("[endpoints.guarded]\naddress = 'npipe://" + pipe() +
                     "'\nservices = ['longshore.echo.v1.Echo']\n" + access);
  }
  StatusCode reload() const {
    TestClient client(folder.control_pipe());
    return client.call("longshore.admin.v1.Admin/Reload", "")->code();
  }
  std::string pipe() const { return folder.echo_pipe() + "-guarded"; }
  StatusCode call() const {
    TestClient client(pipe());
    return client.call("longshore.echo.v1.Echo/Say", WireWriter().text(1, "hello"))->code();
  }

  AgentFolder folder;
  std::unique_ptr<AgentProgram> agent;
};

}  // namespace

TEST_CASE("a pipe has the descriptor of the configuration, after a reload too") {
  const std::string first = "D:P(A;;FA;;;SY)(A;;FA;;;NS)";
  const std::string second = "D:P(A;;FA;;;SY)(A;;FA;;;LS)";
  const GuardedAgent guarded("sddl = '" + first + "'\n");
  CHECK(openers_of(guarded.pipe()) == first);
  CHECK(openers_of(guarded.folder.echo_pipe()) == with_rights_of_files(kDefault));
  CHECK(openers_of(guarded.folder.control_pipe()) == with_rights_of_files(kDefault));
  const TestClient stays(guarded.pipe());
  guarded.configure("sddl = '" + second + "'\n");
  CHECK(guarded.reload() == StatusCode::kOk);
  CHECK(openers_of(guarded.pipe()) == second);
  // One that is faulty changes nothing.
  guarded.configure("sddl = 'D:P(everybody)'\n");
  CHECK(guarded.reload() == StatusCode::kInvalidArgument);
  CHECK(openers_of(guarded.pipe()) == second);
  const auto checked =
      run_program("longshorectl", {"config", "check", guarded.folder.config_file()});
  CHECK(checked.exit_code != 0);
  CHECK_THAT(checked.output, Contains("endpoints.guarded.sddl") && Contains("D:P(everybody)"));
}

TEST_CASE("allow_users lets in by name and SID, and turns away whom it does not name") {
  const std::string nobody = "allow_users = ['S-1-5-19']\n";
  const GuardedAgent guarded(nobody);
  CHECK(guarded.call() == StatusCode::kUnavailable);
  CHECK_THAT(guarded.folder.log(),
             Contains("connection refused endpoint=guarded") &&
                 Contains("peer=\"sid:" + config::own_user_id() +
                          " pid:" + std::to_string(GetCurrentProcessId()) + "\" program=\"") &&
                 Contains("windows_agent_test.exe\" reason=") && Contains("do not name it"));
  for (const std::string& name : {config::own_user_id(), own_name()}) {
    CAPTURE(name);
    guarded.configure("allow_users = ['S-1-5-19', '" + name + "']\n");
    CHECK(guarded.reload() == StatusCode::kOk);
    CHECK(guarded.call() == StatusCode::kOk);
    guarded.configure(nobody);
    CHECK(guarded.reload() == StatusCode::kOk);
    CHECK(guarded.call() == StatusCode::kUnavailable);
  }
}
