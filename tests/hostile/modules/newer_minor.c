/* Needs a newer agent. */
#include "hostile.h"

static longshore_result create(const longshore_host* host, void** self,
                               const longshore_instance** functions) {
  (void)functions;
  return make(host, self);
}

LONGSHORE_EXPORT const longshore_module_entry longshore_module =
    ENTRY(LONGSHORE_MODULE_MAGIC, sizeof(longshore_module_entry), LONGSHORE_ABI_MAJOR,
          LONGSHORE_ABI_MINOR + 1, create);
