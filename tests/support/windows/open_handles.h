// How many handles a process has open: GetProcessHandleCount answers 0 under Wine, always.
#pragma once

#include <windows.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace longshore::test {

inline size_t open_handles(DWORD process) {
  // Those of all processes. In no header of mingw's.
  struct Entry {
    void* object;
    ULONG_PTR process;
    ULONG_PTR handle;
    ULONG access;
    USHORT trace;
    USHORT type;
    ULONG attributes;
    ULONG reserved;
  };
  struct Head {
    ULONG_PTR count;
    ULONG_PTR reserved;
  };
  constexpr ULONG kExtendedHandleInformation = 64;
  constexpr auto kTooShort = static_cast<LONG>(0xc0000004);
  using Function = LONG(WINAPI*)(ULONG, void*, ULONG, ULONG*);
  const auto query = reinterpret_cast<Function>(reinterpret_cast<void*>(
      GetProcAddress(GetModuleHandleW(L"ntdll.dll"), "NtQuerySystemInformation")));
  std::vector<uint64_t> answer(1 << 14);
  LONG status = kTooShort;
  while (true) {
    const auto bytes = static_cast<ULONG>(answer.size() * sizeof(uint64_t));
    status = query(kExtendedHandleInformation, answer.data(), bytes, nullptr);
    if (status != kTooShort) break;
    answer.resize(2 * answer.size());
  }
  if (status != 0) throw std::runtime_error("the system does not tell handles");
  const auto* const head = reinterpret_cast<const Head*>(answer.data());
  const auto* const entries = reinterpret_cast<const Entry*>(head + 1);
  return static_cast<size_t>(std::count_if(
      entries, entries + head->count, [&](const Entry& each) { return each.process == process; }));
}

}  // namespace longshore::test
