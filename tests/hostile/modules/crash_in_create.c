/* Takes the process with it before it is there. */
#include <stdlib.h>

#include "hostile.h"

static longshore_result create_and_crash(const longshore_host* host, void** self,
                                         const longshore_instance** functions) {
  (void)host;
  (void)self;
  (void)functions;
  abort();
}

GOOD_ENTRY(create_and_crash);
