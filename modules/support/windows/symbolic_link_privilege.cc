#include "support/windows/symbolic_link_privilege.h"

#include <windows.h>

#include "longshore/windows/handle.hpp"

namespace longshore::support {

bool enable_symbolic_link_privilege() {
  HANDLE opened = nullptr;
  if (OpenProcessToken(GetCurrentProcess(), TOKEN_ADJUST_PRIVILEGES, &opened) == FALSE) {
    return false;
  }
  const Handle token(opened);
  TOKEN_PRIVILEGES privileges{};
  privileges.PrivilegeCount = 1;
  privileges.Privileges[0].Attributes = SE_PRIVILEGE_ENABLED;
  return LookupPrivilegeValueW(nullptr, L"SeCreateSymbolicLinkPrivilege",
                               &privileges.Privileges[0].Luid) != FALSE &&
         AdjustTokenPrivileges(token.get(), FALSE, &privileges, 0, nullptr, nullptr) != FALSE &&
         GetLastError() == ERROR_SUCCESS;  // it is success, too, to switch on nothing
}

}  // namespace longshore::support
