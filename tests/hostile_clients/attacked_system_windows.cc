#include <windows.h>

#include "tests/hostile_clients/attacked_system.h"
// windows.h comes before them.
#include <psapi.h>
#include <tlhelp32.h>

#include <cstdint>
#include <stdexcept>

#include "longshore/windows/handle.hpp"
#include "tests/support/windows/open_handles.h"

namespace longshore::hostile_clients {
namespace {

Handle opened(ProcessId process, DWORD rights) {
  return Handle(OpenProcess(rights, FALSE, process));
}

double seconds_of(const FILETIME& time) {
  return static_cast<double>(uint64_t{time.dwHighDateTime} << 32 | time.dwLowDateTime) / 1e7;
}

// Of ntdll.dll, in no header and no documentation, and there since ever.
void call_for_all_threads(const char* function, ProcessId process) {
  using Function = LONG(WINAPI*)(HANDLE);
  const auto found = reinterpret_cast<Function>(
      reinterpret_cast<void*>(GetProcAddress(GetModuleHandleW(L"ntdll.dll"), function)));
  const Handle handle = opened(process, PROCESS_SUSPEND_RESUME);
  if (found == nullptr || !handle || found(handle.get()) < 0) throw std::runtime_error(function);
}

}  // namespace

size_t own_bytes(ProcessId process) {
  PROCESS_MEMORY_COUNTERS memory{};
  const Handle handle = opened(process, PROCESS_QUERY_INFORMATION | PROCESS_VM_READ);
  if (!handle || !GetProcessMemoryInfo(handle.get(), &memory, sizeof(memory))) return 0;
  return memory.WorkingSetSize;
}

double processor_seconds(ProcessId process) {
  FILETIME begin{}, end{}, kernel{}, user{};
  const Handle handle = opened(process, PROCESS_QUERY_LIMITED_INFORMATION);
  if (!handle || !GetProcessTimes(handle.get(), &begin, &end, &kernel, &user)) return 0;
  return seconds_of(kernel) + seconds_of(user);
}

size_t open_handles(ProcessId process) { return test::open_handles(process); }

std::vector<ProcessId> children_of(ProcessId process) {
  std::vector<ProcessId> children;
  const Handle all(CreateToolhelp32Snapshot(TH32CS_SNAPPROCESS, 0));
  PROCESSENTRY32W entry{};
  entry.dwSize = sizeof(entry);
  for (BOOL more = all && Process32FirstW(all.get(), &entry); more;
       more = Process32NextW(all.get(), &entry)) {
    if (entry.th32ParentProcessID == process) children.push_back(entry.th32ProcessID);
  }
  return children;
}

void suspend(ProcessId process) { call_for_all_threads("NtSuspendProcess", process); }

void resume(ProcessId process) { call_for_all_threads("NtResumeProcess", process); }

const char* lacks(Need need) {
  switch (need) {
    case Need::kNothing:
      return "";
    case Need::kUsers:
      return "several users";
    case Need::kDescriptors:
      return "descriptors that are sent along";
  }
  return "";
}

}  // namespace longshore::hostile_clients
