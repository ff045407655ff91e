// longshored.exe as a service of the service control manager's, and `longshorectl service`.
//
// There is one service of this name in a system; the prefix under Wine is this run's own.
#include <windows.h>

#include <catch2/catch.hpp>
#include <iterator>
#include <string>
#include <vector>

#include "longshore/windows/handle.hpp"
#include "longshore/windows/wide_text.hpp"
#include "tests/support/eventually.h"
#include "tests/support/test_client.h"
#include "tests/support/wire_writer.h"
#include "tests/windows/agent_program.h"
#include "tests/windows/seen_service.h"
#include "tests/windows/started_program.h"

using namespace longshore;
using namespace longshore::test;
using Catch::Contains;

namespace {

constexpr DWORD kMillisecondsOfAnEnd = 60'000;
const std::string kEcho = "longshore.echo.v1.Echo/";

constexpr const wchar_t* kEventSource =
    L"SYSTEM\\CurrentControlSet\\Services\\EventLog\\Application\\longshored";

// The file that the event log reads the messages of the service's events from; empty: none.
std::wstring event_message_file() {
  wchar_t path[MAX_PATH] = {};
  DWORD size = sizeof(path);
  if (RegGetValueW(HKEY_LOCAL_MACHINE, kEventSource, L"EventMessageFile", RRF_RT_REG_SZ, nullptr,
                   path, &size) != ERROR_SUCCESS) {
    return {};
  }
  return path;
}

// As the event viewer makes it of the file, the event's number and its text.
std::wstring event_message(const std::wstring& file, DWORD event, const wchar_t* text) {
  const HMODULE library = LoadLibraryExW(file.c_str(), nullptr, LOAD_LIBRARY_AS_DATAFILE);
  REQUIRE(library);
  wchar_t message[256] = {};
  DWORD_PTR texts[] = {reinterpret_cast<DWORD_PTR>(text)};
  FormatMessageW(FORMAT_MESSAGE_FROM_HMODULE | FORMAT_MESSAGE_ARGUMENT_ARRAY, library, event, 0,
                 message, static_cast<DWORD>(std::size(message)),
                 reinterpret_cast<va_list*>(texts));
  FreeLibrary(library);
  const std::wstring line = message;
  return line.substr(0, line.find_first_of(L"\r\n"));
}

// Where the manager keeps it: Wine's does not tell it when it is asked.
std::vector<std::wstring> dependencies() {
  wchar_t names[256] = {};
  DWORD size = sizeof(names);
  std::vector<std::wstring> found;
  if (RegGetValueW(HKEY_LOCAL_MACHINE, L"SYSTEM\\CurrentControlSet\\Services\\longshored",
                   L"DependOnService", RRF_RT_REG_MULTI_SZ, nullptr, names,
                   &size) != ERROR_SUCCESS) {
    return found;
  }
  for (const wchar_t* name = names; *name != 0; name += found.back().size() + 1)
    found.emplace_back(name);
  return found;
}

}  // namespace

TEST_CASE("the agent's life as a service: installed, started, stopped, removed") {
  AgentFolder folder;
  folder.configure("[agent.log]\nfile = '" + (folder / "service.log") + "'\n");
  CHECK_THAT(run_service({"status"}).output, Contains("longshorectl service install installs it"));
  CHECK_THAT(run_service({"configure"}).output,
             Contains("longshorectl service install installs it"));
  const auto installed = run_service({"install", "--config", folder.config_file(), "--start"});
  CAPTURE(installed.output);
  REQUIRE(installed.exit_code == 0);
  // Wine keeps no event log: whether events are in it cannot be asked, only how they would be
  // shown.
  const std::wstring messages = event_message_file();
  CHECK(event_message(messages, 0x40000001, L"0.1") == L"The storage agent serves: 0.1");
  CHECK(event_message(messages, 0x40000002, L"0.1") == L"The storage agent has stopped: 0.1");
  CHECK(event_message(messages, 0xC0000003, L"why") ==
        L"The storage agent has ended with an error: why");
  CHECK_THAT(run_service({"install"}).output, Contains("uninstall removes it"));
  CHECK(run_service({"configure"}).exit_code == 0);
  CHECK(eventually(
      [&] { return run_service({"status"}).output.find("is running") != std::string::npos; }));
  {
    TestClient client(folder.echo_pipe());
    CHECK(client.call(kEcho + "Say", WireWriter().text(1, "hello"))->code() == StatusCode::kOk);
  }
  CHECK(dependencies().empty());
  const auto removed = run_service({"uninstall"});
  CAPTURE(removed.output);
  CHECK(removed.exit_code == 0);
  CHECK(run_service({"status"}).exit_code != 0);
  CHECK(event_message_file().empty());
  CHECK_THAT(text_of(folder / "service.log"), Contains("the service is stopped"));
  // The process has ended with the service: nobody has its pipes any more.
  CHECK_THROWS(TestClient(folder.echo_pipe()));
}

TEST_CASE("a service is reloaded by paramchange, and a stop lets a call come to its end") {
  AgentFolder folder;
  // A changed rule leaves the module as it runs.
  const auto configure = [&](const std::string& method) {
    folder.configure("permissions.all = {users = ['*'], methods = ['" + kEcho + "Say', '" + kEcho +
                     method + "']}\n[agent.log]\nfile = '" + (folder / "service.log") + "'\n");
  };
  const auto describe = [&] {
    TestClient client(folder.echo_pipe());
    return client.call(kEcho + "Describe", "")->code();
  };
  configure("Describe");
  const auto installed = run_service({"install", "--config", folder.config_file(), "--start",
                                      "--depends-on", "RpcSs", "--depends-on", "PlugPlay"});
  CAPTURE(installed.output);
  REQUIRE(installed.exit_code == 0);
  {
    const SeenService seen;
    CHECK(dependencies() == std::vector<std::wstring>{L"RpcSs", L"PlugPlay"});
    REQUIRE(seen.comes_to(SERVICE_RUNNING));
    CHECK(seen.status().dwControlsAccepted ==
          (SERVICE_ACCEPT_STOP | SERVICE_ACCEPT_SHUTDOWN | SERVICE_ACCEPT_PARAMCHANGE));
    CHECK(describe() == StatusCode::kOk);
    configure("Wait");
    CHECK(describe() == StatusCode::kOk);
    seen.tell(SERVICE_CONTROL_PARAMCHANGE);
    const bool is_reloaded =
        eventually([&] { return describe() == StatusCode::kPermissionDenied; });
    INFO(text_of(folder / "service.log"));
    CHECK(is_reloaded);

    const Handle process(OpenProcess(SYNCHRONIZE, FALSE, seen.status().dwProcessId));
    REQUIRE(process);
    TestClient client(folder.echo_pipe());
    const auto waits = client.start(kEcho + "Wait", WireWriter().number(1, 3000));
    // What comes after it on the connection is answered: the agent has it.
    CHECK(client.call(kEcho + "Say", WireWriter().text(1, "hello"))->code() == StatusCode::kOk);
    seen.tell(SERVICE_CONTROL_STOP);
    REQUIRE(client.run_until([&] { return waits->finished(); }));
    CHECK(waits->code() == StatusCode::kOk);
    const bool has_stopped = seen.comes_to(SERVICE_STOPPED);
    INFO(text_of(folder / "service.log"));
    CHECK(has_stopped);
    CHECK(seen.status().dwWin32ExitCode == NO_ERROR);
    CHECK(WaitForSingleObject(process.get(), kMillisecondsOfAnEnd) == WAIT_OBJECT_0);
  }
  CHECK(run_service({"uninstall"}).exit_code == 0);
}

TEST_CASE("a service with a faulty command line has stopped with its exit code") {
  const std::wstring command =
      L"\"" + wide(folder_of_programs()) + L"\\longshored.exe\" -windows-service -no";
  const SC_HANDLE manager =
      OpenSCManagerW(nullptr, nullptr, SC_MANAGER_CONNECT | SC_MANAGER_CREATE_SERVICE);
  const SC_HANDLE made =
      CreateServiceW(manager, L"longshored", nullptr, SERVICE_ALL_ACCESS, SERVICE_WIN32_OWN_PROCESS,
                     SERVICE_DEMAND_START, SERVICE_ERROR_NORMAL, command.c_str(), nullptr, nullptr,
                     nullptr, nullptr, nullptr);
  REQUIRE(made);
  CloseServiceHandle(made);
  CloseServiceHandle(manager);
  {
    const SeenService seen;
    seen.start();
    REQUIRE(seen.comes_to(SERVICE_STOPPED));
    CHECK(seen.status().dwWin32ExitCode == ERROR_SERVICE_SPECIFIC_ERROR);
    CHECK(seen.status().dwServiceSpecificExitCode == 1);
  }
  CHECK(run_service({"uninstall"}).exit_code == 0);
}

TEST_CASE("--service is for the service control manager") {
  AgentFolder folder;
  folder.configure();
  const auto end = run_program("longshored", {"--service", "--config", folder.config_file()});
  CHECK(end.exit_code == 3);
  CHECK_THAT(end.output, Contains("longshorectl service install"));
}
