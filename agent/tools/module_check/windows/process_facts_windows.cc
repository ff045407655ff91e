#include <windows.h>
// windows.h comes before it.
#include <tlhelp32.h>

#include <clocale>
#include <cstring>
#include <iterator>
#include <new>
#include <vector>

#include "longshore/windows/handle.hpp"
#include "longshore/windows/wide_text.hpp"
#include "tools/module_check/process_facts.h"

namespace longshore::module_check {
namespace {

std::string number_text(const void* pointer) {
  return std::to_string(reinterpret_cast<uintptr_t>(pointer));
}

size_t busy_bytes(HANDLE heap) {
  if (!HeapLock(heap)) return 0;
  size_t bytes = 0;
  PROCESS_HEAP_ENTRY entry{};
  while (HeapWalk(heap, &entry)) {
    if (entry.wFlags & PROCESS_HEAP_ENTRY_BUSY) bytes += entry.cbData;
  }
  HeapUnlock(heap);
  return bytes;
}

// Numbers of handles are multiples of 4, the lowest that is free first.
template <typename Counts>
size_t count_handles(const Counts& counts) {
  constexpr uintptr_t kMostHandles = 4096;
  size_t count = 0;
  for (uintptr_t i = 1; i <= kMostHandles; ++i) {
    const auto handle = reinterpret_cast<HANDLE>(4 * i);
    DWORD flags = 0;
    count += GetHandleInformation(handle, &flags) && counts(handle);
  }
  return count;
}

std::string working_directory() {
  std::wstring path(GetCurrentDirectoryW(0, nullptr), L'\0');
  path.resize(GetCurrentDirectoryW(static_cast<DWORD>(path.size()), path.data()));
  return narrow(path);
}

std::string environment() {
  wchar_t* const variables = GetEnvironmentStringsW();
  std::string text;
  for (const wchar_t* each = variables; each && *each; each += std::wcslen(each) + 1) {
    text += narrow(each) + '\n';
  }
  FreeEnvironmentStringsW(variables);
  return text;
}

std::string folder_of_libraries() {
  wchar_t path[MAX_PATH] = {};
  GetDllDirectoryW(static_cast<DWORD>(std::size(path)), path);
  return narrow(path);
}

// There is no way to ask for it but to take it off for a moment.
std::string exception_filter() {
  const auto filter = SetUnhandledExceptionFilter(nullptr);
  SetUnhandledExceptionFilter(filter);
  return number_text(reinterpret_cast<const void*>(filter));
}

std::string standard_handles() {
  std::string text;
  for (const DWORD which : {STD_INPUT_HANDLE, STD_OUTPUT_HANDLE, STD_ERROR_HANDLE}) {
    const HANDLE handle = GetStdHandle(which);
    text += number_text(handle) + ":" + std::to_string(GetFileType(handle)) + " ";
  }
  return text;
}

}  // namespace

// Nothing here makes a copy of a process.
size_t count_forks() { return 0; }

size_t count_threads() {
  const Handle snapshot(CreateToolhelp32Snapshot(TH32CS_SNAPTHREAD, 0));
  if (!snapshot) return 0;
  size_t count = 0;
  THREADENTRY32 entry{};
  entry.dwSize = sizeof(entry);
  for (BOOL more = Thread32First(snapshot.get(), &entry); more;
       more = Thread32Next(snapshot.get(), &entry)) {
    count += entry.th32OwnerProcessID == GetCurrentProcessId();
  }
  return count;
}

size_t count_descriptors() {
  DWORD count = 0;
  GetProcessHandleCount(GetCurrentProcess(), &count);
  // Wine keeps no count.
  return count > 0 ? count : count_handles([](HANDLE) { return true; });
}

size_t count_open_files() {
  return count_handles([](HANDLE handle) { return GetFileType(handle) != FILE_TYPE_UNKNOWN; });
}

size_t allocated_bytes() {
  std::vector<HANDLE> heaps(64);
  heaps.resize(GetProcessHeaps(static_cast<DWORD>(heaps.size()), heaps.data()));
  size_t bytes = 0;
  for (const HANDLE heap : heaps) bytes += busy_bytes(heap);
  return bytes;
}

std::map<std::string, std::string> surroundings() {
  return {{"the working directory", working_directory()},
          {"the environment", environment()},
          {"the error mode", std::to_string(GetErrorMode())},
          {"the filter of exceptions", exception_filter()},
          {"the folder of DLLs", folder_of_libraries()},
          {"the locale", std::setlocale(LC_ALL, nullptr)},
          {"the priority", std::to_string(GetPriorityClass(GetCurrentProcess()))},
          {"the standard handles", standard_handles()}};
}

const longshore_host* copy_before_barrier(const longshore_host& table) {
  SYSTEM_INFO system{};
  GetSystemInfo(&system);
  const size_t page = system.dwPageSize;
  void* const pages = VirtualAlloc(nullptr, 2 * page, MEM_COMMIT | MEM_RESERVE, PAGE_READWRITE);
  if (!pages) throw std::bad_alloc();
  char* const barrier = static_cast<char*>(pages) + page;
  DWORD before = 0;
  VirtualProtect(barrier, page, PAGE_NOACCESS, &before);
  void* const place = barrier - sizeof(table);
  std::memcpy(place, &table, sizeof(table));
  return static_cast<const longshore_host*>(place);
}

}  // namespace longshore::module_check
