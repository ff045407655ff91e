// What is left of an agent that is killed: nothing. The agent is this program a second time.
#include <windows.h>

#include <array>
#include <catch2/catch.hpp>
#include <cstdio>
#include <string>

#include "longshore/windows/handle.hpp"
#include "tests/support/build_tree.h"
#include "tests/windows/isolated_module.h"

using namespace longshore;
using namespace longshore::test;

namespace {

std::string line_of(const Handle& pipe) {
  std::string line;
  for (char c = 0; c != '\n'; line += c) {
    DWORD size = 0;
    REQUIRE(ReadFile(pipe.get(), &c, 1, &size, nullptr));
  }
  return line;
}

struct OtherAgent {
  OtherAgent() {
    SECURITY_ATTRIBUTES inheritable{sizeof(SECURITY_ATTRIBUTES), nullptr, TRUE};
    HANDLE reader = nullptr;
    HANDLE writer = nullptr;
    REQUIRE(CreatePipe(&reader, &writer, &inheritable, 0));
    const Handle says(reader);
    Handle told(writer);
    std::array<wchar_t, 32768> program{};
    GetModuleFileNameW(nullptr, program.data(), static_cast<DWORD>(program.size()));
    std::wstring words = L"agent [agent]";
    STARTUPINFOW how{};
    how.cb = sizeof(how);
    how.dwFlags = STARTF_USESTDHANDLES;
    how.hStdOutput = told.get();
    PROCESS_INFORMATION started{};
    REQUIRE(CreateProcessW(program.data(), words.data(), nullptr, nullptr, TRUE, CREATE_NO_WINDOW,
                           nullptr, nullptr, &how, &started));
    const Handle thread(started.hThread);
    process = Handle(started.hProcess);
    told = Handle();
    // The test framework has lines of its own.
    while (std::sscanf(line_of(says).c_str(), "%d %d", &child, &left) != 2) continue;
  }
  ~OtherAgent() { TerminateProcess(process.get(), 1); }

  Handle process;
  int child = 0;  // the process of its module
  int left = 0;   // and what that has started
};

Handle to_wait_for(int id) {
  return Handle(OpenProcess(SYNCHRONIZE, FALSE, static_cast<DWORD>(id)));
}

}  // namespace

TEST_CASE("an agent with a module that has started a program", "[.agent]") {
  IsolatedModule trial(built_module("trial"));
  std::printf("%d %s\n", trial.process().id, trial.ask("leave").c_str());
  std::fflush(stdout);
  Sleep(60'000);
  FAIL("it should have been killed");
}

TEST_CASE("a killed agent takes its modules' processes along, and what these have started") {
  const OtherAgent agent;
  const Handle its_child = to_wait_for(agent.child);
  const Handle its_left = to_wait_for(agent.left);
  REQUIRE(its_child);
  REQUIRE(its_left);
  CHECK(WaitForSingleObject(its_child.get(), 0) == WAIT_TIMEOUT);
  CHECK(WaitForSingleObject(its_left.get(), 0) == WAIT_TIMEOUT);
  REQUIRE(TerminateProcess(agent.process.get(), 1));
  CHECK(WaitForSingleObject(its_child.get(), 30'000) == WAIT_OBJECT_0);
  CHECK(WaitForSingleObject(its_left.get(), 30'000) == WAIT_OBJECT_0);
}
