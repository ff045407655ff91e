/* Never comes back from create. */
#include "hostile.h"

static longshore_result create_and_hang(const longshore_host* host, void** self,
                                        const longshore_instance** functions) {
  (void)host;
  (void)self;
  (void)functions;
  hang();
  return LONGSHORE_OK;
}

GOOD_ENTRY(create_and_hang);
