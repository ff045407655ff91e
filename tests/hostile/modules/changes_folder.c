/* Moves the process to another folder and takes all rights off its new files. */
#include <sys/stat.h>

#include "hostile.h"

static void invoke(void* self, longshore_call call, longshore_bytes method,
                   longshore_bytes request) {
  if (chdir("/proc") != 0) _exit(1);
  umask(0777);
  invoke_well(self, call, method, request);
}

MODULE(start_well, invoke, stop_well, destroy_well);
