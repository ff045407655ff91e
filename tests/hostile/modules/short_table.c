/* Its table of functions claims to end before stop. */
#include "hostile.h"

static const longshore_instance functions_of_module = {offsetof(longshore_instance, stop),
                                                       0,
                                                       start_well,
                                                       invoke_well,
                                                       NULL,
                                                       NULL,
                                                       stop_well,
                                                       destroy_well};

static longshore_result create(const longshore_host* host, void** self,
                               const longshore_instance** functions) {
  *functions = &functions_of_module;
  return make(host, self);
}

GOOD_ENTRY(create);
