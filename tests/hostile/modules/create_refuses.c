/* Does not want to, and leaves rubbish where its instance would be. */
#include "hostile.h"

static longshore_result create(const longshore_host* host, void** self,
                               const longshore_instance** functions) {
  (void)functions;
  host->log(host, LONGSHORE_LOG_ERROR, 0, bytes_of("not today"));
  *self = (void*)(uintptr_t)1;
  return LONGSHORE_REFUSED;
}

GOOD_ENTRY(create);
