#include "tests/windows/started_program.h"

// windows.h comes before it.
#include <psapi.h>

#include <filesystem>
#include <iterator>
#include <stdexcept>
#include <system_error>

#include "longshore/windows/command_line.hpp"
#include "longshore/windows/wide_text.hpp"
#include "tests/support/build_tree.h"
#include "tests/support/windows/open_handles.h"

namespace longshore::test {
namespace {

constexpr DWORD kMillisecondsOfAnEnd = 60'000;

[[noreturn]] void fail(const std::string& what) {
  throw std::system_error(static_cast<int>(GetLastError()), std::system_category(), what);
}

}  // namespace

std::string folder_of_programs() {
  wchar_t path[MAX_PATH * 4] = {};
  GetModuleFileNameW(nullptr, path, static_cast<DWORD>(std::size(path)));
  return std::filesystem::path(path).parent_path().string();
}

StartedProgram::StartedProgram(const std::string& name, const std::vector<std::string>& words,
                               const std::string& output) {
  SECURITY_ATTRIBUTES inheritable{sizeof(SECURITY_ATTRIBUTES), nullptr, TRUE};
  const Handle file(CreateFileW(wide(output).c_str(), FILE_APPEND_DATA,
                                FILE_SHARE_READ | FILE_SHARE_WRITE, &inheritable, CREATE_ALWAYS,
                                FILE_ATTRIBUTE_NORMAL, nullptr));
  if (!file) fail(output);
  const std::filesystem::path program =
      std::filesystem::path(wide(folder_of_programs())) / wide(built_program(name));
  std::vector<std::wstring> all{program.wstring()};
  for (const std::string& word : words) all.push_back(wide(word));
  std::wstring line = command_line(all);
  STARTUPINFOW how{};
  how.cb = sizeof(how);
  how.dwFlags = STARTF_USESTDHANDLES;
  how.hStdOutput = file.get();
  how.hStdError = file.get();
  PROCESS_INFORMATION started{};
  // On a busy machine Wine answers ERROR_INTERNAL_ERROR at times, where nothing is wrong.
  bool is_started = false;
  for (int tries = 0; !is_started && tries < 3; ++tries) {
    is_started = CreateProcessW(all.front().c_str(), line.data(), nullptr, nullptr, TRUE,
                                CREATE_NO_WINDOW, nullptr, nullptr, &how, &started);
    if (!is_started && GetLastError() != ERROR_INTERNAL_ERROR) break;
  }
  if (!is_started) fail(program.string());
  CloseHandle(started.hThread);
  process_ = Handle(started.hProcess);
  id_ = started.dwProcessId;
}

StartedProgram::~StartedProgram() {
  if (process_) kill();
}

std::optional<int> StartedProgram::exit_code(DWORD milliseconds) const {
  if (WaitForSingleObject(process_.get(), milliseconds) != WAIT_OBJECT_0) return std::nullopt;
  DWORD code = 0;
  if (!GetExitCodeProcess(process_.get(), &code)) fail("ask for a process's exit code");
  return static_cast<int>(code);
}

void StartedProgram::kill() {
  TerminateProcess(process_.get(), 1);
  WaitForSingleObject(process_.get(), kMillisecondsOfAnEnd);
}

size_t StartedProgram::handles() const { return open_handles(id_); }

size_t StartedProgram::working_set() const {
  PROCESS_MEMORY_COUNTERS memory{};
  if (!GetProcessMemoryInfo(process_.get(), &memory, sizeof(memory))) {
    fail("ask for a process's memory");
  }
  return memory.WorkingSetSize;
}

}  // namespace longshore::test
