/* A library with the name of one of Windows' own, in the folder of a program. */
#include <windows.h>

__declspec(dllexport) DWORD WINAPI WNetGetUserA(LPCSTR device, LPSTR user, LPDWORD size) {
  (void)device;
  (void)user;
  (void)size;
  return NO_ERROR;
}

__declspec(dllexport) int is_planted(void) { return 1; }
