/* Brings a malloc for everybody. */
#include "hostile.h"

LONGSHORE_EXPORT void* malloc(size_t size);
void* malloc(size_t size) {
  (void)size;
  return NULL;
}

MODULE(start_well, invoke_well, stop_well, destroy_well);
