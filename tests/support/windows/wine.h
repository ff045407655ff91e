// Whether the test runs under Wine: what only Wine refuses is expected there alone.
#pragma once

#include <windows.h>

namespace longshore::test {

inline bool is_wine() {
  HMODULE const ntdll = GetModuleHandleW(L"ntdll.dll");
  return ntdll != nullptr && GetProcAddress(ntdll, "wine_get_version") != nullptr;
}

}  // namespace longshore::test
