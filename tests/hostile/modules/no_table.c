/* Says OK and gives no functions. */
#include "hostile.h"

static longshore_result create(const longshore_host* host, void** self,
                               const longshore_instance** functions) {
  (void)functions;
  return make(host, self);
}

GOOD_ENTRY(create);
