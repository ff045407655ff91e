/* A module that needs MPR.dll, which Windows looks for in the program's folder first. */
#include <stdlib.h>
#include <windows.h>

#include "longshore/abi.h"
#include "module_description.h"

static longshore_result create(const longshore_host* host, void** self,
                               const longshore_instance** functions) {
  DWORD size = 0;
  (void)host;
  (void)self;
  (void)functions;
  WNetGetUserA(NULL, NULL, &size);
  return LONGSHORE_REFUSED;
}

LONGSHORE_EXPORT const longshore_module_entry longshore_module = {
    LONGSHORE_MODULE_MAGIC,
    sizeof(longshore_module_entry),
    LONGSHORE_ABI_MAJOR,
    0,
    "longshore-searching",
    "1.0",
    "Nobody",
    longshore_module_description,
    sizeof(longshore_module_description),
    create};
