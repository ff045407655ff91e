#include "supervise/windows/child_process.h"

#include <array>
#include <vector>

#include "longshore/windows/command_line.hpp"
#include "longshore/windows/wide_text.hpp"
#include "supervise/windows/exit_words.h"
#include "supervise/windows/handle_list.h"

namespace longshore::supervise {
namespace {

Handle open_null() {
  SECURITY_ATTRIBUTES inheritable{sizeof(SECURITY_ATTRIBUTES), nullptr, TRUE};
  return Handle(CreateFileW(L"NUL", GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_WRITE, &inheritable,
                            OPEN_EXISTING, 0, nullptr));
}

// As CreateProcessW takes it: each variable with a zero after it, and one more zero.
std::wstring environment() {
  std::array<wchar_t, MAX_PATH> folder{};
  GetSystemWindowsDirectoryW(folder.data(), static_cast<UINT>(folder.size()));
  return std::wstring(L"SystemRoot=") + folder.data() + L'\0' + L'\0';
}

std::wstring number_of(HANDLE handle) {
  return std::to_wstring(reinterpret_cast<uintptr_t>(handle));
}

}  // namespace

Result<ChildProcess> ChildProcess::start(const ChildCommand& command, JobObject job) {
  const auto failed = [&](const std::error_code& error) {
    return Error(StatusCode::kUnavailable, "start the module host", command.program).because(error);
  };
  const Handle null = open_null();
  if (!null) return failed(null.error());
  HandleList inherited({command.input, command.output, command.printed, null.get()});
  if (const std::error_code error = error_unless(inherited.is_good())) return failed(error);
  const std::wstring program = wide(command.program);
  const std::wstring words[] = {program, wide(command.name), number_of(command.input),
                                number_of(command.output), wide(command.image)};
  std::wstring line = command_line(words);
  std::wstring variables = environment();
  STARTUPINFOEXW how{};
  how.StartupInfo.cb = sizeof(how);
  how.StartupInfo.dwFlags = STARTF_USESTDHANDLES;
  how.StartupInfo.hStdInput = null.get();
  how.StartupInfo.hStdOutput = command.printed;
  how.StartupInfo.hStdError = command.printed;
  how.lpAttributeList = inherited.get();
  PROCESS_INFORMATION started{};
  const BOOL is_started =
      CreateProcessW(program.c_str(), line.data(), nullptr, nullptr, TRUE,
                     CREATE_SUSPENDED | CREATE_NO_WINDOW | CREATE_UNICODE_ENVIRONMENT |
                         EXTENDED_STARTUPINFO_PRESENT,
                     variables.data(), nullptr, &how.StartupInfo, &started);
  if (const std::error_code error = error_unless(is_started != FALSE)) return failed(error);
  const Handle thread(started.hThread);
  Handle process(started.hProcess);
  if (auto added = job.add(process.get()); !added) {
    TerminateProcess(process.get(), kKilledCode);
    return std::move(added).error();
  }
  const std::error_code error = error_unless(ResumeThread(thread.get()) != static_cast<DWORD>(-1));
  if (!error) return ChildProcess(started.dwProcessId, std::move(process), std::move(job));
  TerminateProcess(process.get(), kKilledCode);
  return failed(error);
}

void ChildProcess::kill() const { job_.end_all(kKilledCode); }

bool ChildProcess::has_ended(std::chrono::milliseconds time) const {
  return WaitForSingleObject(process_.get(), static_cast<DWORD>(time.count())) == WAIT_OBJECT_0;
}

ProcessEnd ChildProcess::end() const {
  DWORD code = 0;
  const BOOL known = GetExitCodeProcess(process_.get(), &code);
  job_.end_all(kKilledCode);
  return known ? process_end_of(code) : ProcessEnd::failed("ended, and nobody knows how");
}

}  // namespace longshore::supervise
