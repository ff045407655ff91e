// Modules in processes of their own, on Windows: the agent's side starts longshore-modulehost.exe
// with a DLL, and meets what can become of it.
//
// Wine sets no limits of a job object: where it says so, or knows nothing of them, these tests ask
// for what it does have. It enforces no access control lists either.
#include <windows.h>

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "longshore/windows/handle.hpp"
#include "tests/support/build_tree.h"
#include "tests/support/eventually.h"
#include "tests/support/windows/open_handles.h"
#include "tests/windows/isolated_module.h"

using namespace longshore;
using namespace longshore::test;

namespace {

bool is_wine() { return GetProcAddress(GetModuleHandleW(L"ntdll.dll"), "wine_get_version"); }

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

Handle open_process(int id) {
  return Handle(OpenProcess(SYNCHRONIZE | PROCESS_TERMINATE, FALSE, static_cast<DWORD>(id)));
}

bool has_ended(const Handle& process, DWORD milliseconds = 30'000) {
  return WaitForSingleObject(process.get(), milliseconds) == WAIT_OBJECT_0;
}

}  // namespace

TEST_CASE("a module in a process of its own answers, calls after calls, and ends in order") {
  IsolatedModule echo(built_module("echo"));
  CHECK(echo.process().id > 0);
  CHECK(echo.process().id != static_cast<int>(GetCurrentProcessId()));
  for (int i = 0; i < 100; ++i) {
    REQUIRE(echo.call("longshore.echo.v1.Echo/Say", "\x0a\x05hello") == "\x0a\x05hello");
  }
  const std::string text(1 << 20, 'x');  // more than a pipe holds
  const std::string request = "\x0a\x80\x80\x40" + text;
  CHECK(echo.call("longshore.echo.v1.Echo/Say", request) == request);
  const Handle process = open_process(echo.process().id);
  REQUIRE(process);
  CHECK(echo.stop(std::chrono::seconds(10)) == "");
  CHECK(has_ended(process));
  CHECK(eventually([&] { return contains(echo.process().last_end, "exited with code 0"); }));
}

TEST_CASE("what a module's process prints is in the log") {
  IsolatedModule trial(built_module("trial"));
  CHECK(eventually(
      [&] { return contains(trial.log(), "its process printed: the trial starts module="); }));
}

TEST_CASE("a process that is killed ends its calls and is started anew") {
  IsolatedModule trial(built_module("trial"));
  const auto hanging = trial.begin("trial.v1.Trial/Do", "hang");
  REQUIRE(trial.ask("say after") == "after");
  const int first = trial.process().id;
  const Handle process = open_process(first);
  REQUIRE(TerminateProcess(process.get(), 9));
  REQUIRE(hanging->wait());
  CHECK(hanging->code == StatusCode::kUnavailable);
  CHECK(hanging->text ==
        "the process of the module trial exited with code 9; the call may have taken effect");
  CHECK(eventually([&] { return trial.ask("say again") == "again"; }));
  CHECK(trial.process().id != first);
  CHECK(trial.process().restarts == 1);
}

TEST_CASE("how a process ended is told in words") {
  IsolatedModule trial(built_module("trial"));
  SECTION("by a crash, which opens no window") {
    const std::string answer = trial.ask("crash");
    CHECK(contains(answer,
                   "UNAVAILABLE: the process of the module trial crashed with an access "
                   "violation (0xC0000005)"));
  }
  SECTION("by itself") { CHECK(contains(trial.ask("exit"), "exited with code 3")); }
  CHECK(eventually([&] { return trial.ask("say again") == "again"; }));
}

TEST_CASE("a module that ends too often is quarantined") {
  config::ProcessSettings settings;
  settings.restart_max = 1;
  IsolatedModule trial(built_module("trial"), settings);
  CHECK(contains(trial.ask("exit"), "exited with code 3"));
  REQUIRE(eventually([&] { return trial.ask("say again") == "again"; }));
  CHECK(contains(trial.ask("exit"), "exited with code 3"));
  CHECK(contains(trial.ask("say again"), "is quarantined"));
  CHECK(trial.process().state == loader::ModuleProcess::State::kQuarantined);
}

TEST_CASE("a process whose stop hangs is killed in time") {
  IsolatedModule trial(built_module("trial"));
  const auto hanging = trial.begin("trial.v1.Trial/Do", "hang");
  REQUIRE(trial.ask("say after") == "after");
  const Handle process = open_process(trial.process().id);
  const auto begin = std::chrono::steady_clock::now();
  CHECK(contains(trial.stop(std::chrono::seconds(2)), "did not end in time"));
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(20));
  CHECK(has_ended(process));
  REQUIRE(hanging->wait());
  CHECK(hanging->code != StatusCode::kOk);
}

TEST_CASE("a process inherits nothing but its own handles and SystemRoot") {
  // Numbers are given out from the lowest: the process has none so high of its own.
  std::vector<Handle> lower;
  for (int i = 0; i < 1000; ++i) lower.emplace_back(CreateEventW(nullptr, TRUE, FALSE, nullptr));
  SECURITY_ATTRIBUTES inheritable{sizeof(SECURITY_ATTRIBUTES), nullptr, TRUE};
  const Handle event(CreateEventW(&inheritable, TRUE, FALSE, nullptr));
  REQUIRE(event);
  REQUIRE(SetEnvironmentVariableA("LONGSHORE_TRIAL", "secret"));
  IsolatedModule trial(built_module("trial"));
  CHECK(trial.ask("signal " + std::to_string(event.number())) == "no such event");
  CHECK(WaitForSingleObject(event.get(), 0) == WAIT_TIMEOUT);
  CHECK(trial.ask("variable LONGSHORE_TRIAL") == "none");
  CHECK(contains(trial.ask("variable SystemRoot"), ":\\"));
}

TEST_CASE("what a module has started ends with its process") {
  IsolatedModule trial(built_module("trial"));
  const std::string number = trial.ask("leave");
  INFO(number);
  const Handle left = open_process(std::atoi(number.c_str()));
  REQUIRE(left);
  CHECK_FALSE(has_ended(left, 0));
  SECTION("that exits") { trial.ask("exit"); }
  SECTION("that is killed") {
    REQUIRE(TerminateProcess(open_process(trial.process().id).get(), 9));
    CHECK(eventually([&] { return trial.ask("say again") == "again"; }));
  }
  SECTION("that is stopped") { CHECK(trial.stop(std::chrono::seconds(10)) == ""); }
  CHECK(has_ended(left));
}

TEST_CASE("limits are those of a job object") {
  config::ProcessSettings settings;
  settings.memory_max = 256 << 20;
  settings.processes_max = 2;
  settings.cpu_max = 0.5;
  IsolatedModule trial(built_module("trial"), settings);
  CHECK(contains(trial.log(), "memory_max=job"));
  CHECK(contains(trial.log(), "processes_max=job"));
  INFO(trial.log());
  CHECK(contains(trial.log(), is_wine() ? "cpu_max=" : "cpu_max=job"));
  CHECK(trial.ask("allocate 1048576") == "there");
  if (is_wine()) return;
  CHECK(trial.ask("allocate 1073741824") == "none");
  CHECK(std::atoi(trial.ask("leave").c_str()) > 0);
  CHECK(contains(trial.ask("leave"), "error"));
}

TEST_CASE("no handle is left of processes that have ended") {
  IsolatedModule trial(built_module("trial"), [] {
    config::ProcessSettings settings;
    settings.restart_max = 100;
    settings.restart_delay_max = std::chrono::milliseconds(1);
    return settings;
  }());
  const auto once = [&] {
    trial.ask("exit");
    REQUIRE(eventually([&] { return trial.ask("say again") == "again"; }));
  };
  once();
  const size_t before = open_handles(GetCurrentProcessId());
  for (int i = 0; i < 10; ++i) once();
  CHECK(open_handles(GetCurrentProcessId()) <= before + 5);
}
