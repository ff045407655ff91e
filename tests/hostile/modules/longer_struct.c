/* Built with a header of the future, whose structs have more at the end. Must load. */
#include "hostile.h"

static const struct {
  longshore_instance known;
  void (*unknown)(void);
} functions_of_module = {
    {sizeof(functions_of_module), 0, start_well, invoke_well, NULL, NULL, stop_well, destroy_well},
    &hang};

static longshore_result create(const longshore_host* host, void** self,
                               const longshore_instance** functions) {
  *functions = &functions_of_module.known;
  return make(host, self);
}

typedef struct {
  longshore_module_entry known;
  void (*unknown)(void);
} longer_entry;

LONGSHORE_EXPORT const longer_entry longshore_module = {
    ENTRY(LONGSHORE_MODULE_MAGIC, sizeof(longer_entry), LONGSHORE_ABI_MAJOR, 0, create), &hang};
