// csi-proxy as a service, as far as its replacement is concerned: it has one of the pipes, and its
// process goes on when the service is stopped.
#include <stdio.h>
#include <windows.h>

static SERVICE_STATUS_HANDLE handle;

static void report(DWORD state) {
  SERVICE_STATUS status = {0};
  status.dwServiceType = SERVICE_WIN32_OWN_PROCESS;
  status.dwCurrentState = state;
  status.dwControlsAccepted = state == SERVICE_RUNNING ? SERVICE_ACCEPT_STOP : 0;
  SetServiceStatus(handle, &status);
}

static DWORD WINAPI heed(DWORD control, DWORD type, void* data, void* context) {
  (void)type, (void)data, (void)context;
  if (control == SERVICE_CONTROL_STOP) report(SERVICE_STOPPED);
  return NO_ERROR;
}

static void WINAPI serve(DWORD count, wchar_t** arguments) {
  (void)count, (void)arguments;
  handle = RegisterServiceCtrlHandlerExW(L"csiproxy", heed, NULL);
  // Nobody ever answers its clients.
  const HANDLE pipe =
      CreateNamedPipeW(L"\\\\.\\pipe\\csi-proxy-filesystem-v1", PIPE_ACCESS_DUPLEX,
                       PIPE_TYPE_BYTE | PIPE_WAIT, PIPE_UNLIMITED_INSTANCES, 0, 0, 0, NULL);
  report(pipe == INVALID_HANDLE_VALUE ? SERVICE_STOPPED : SERVICE_RUNNING);
}

int main(void) {
  static wchar_t name[] = L"csiproxy";
  const SERVICE_TABLE_ENTRYW services[] = {{name, serve}, {NULL, NULL}};
  if (!StartServiceCtrlDispatcherW(services)) {
    fputs("csi_proxy_stand_in: this is for the service control manager\n", stderr);
    return 1;
  }
  Sleep(INFINITE);
  return 0;
}
