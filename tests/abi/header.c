/* The ABI header alone, as C and as C++, and a module that an author writes by hand with it. */
#include <longshore/abi.h>

static longshore_result create(const longshore_host* host, void** self,
                               const longshore_instance** functions) {
  static const longshore_bytes text = {"nothing to create", 17};
  host->log(host, LONGSHORE_LOG_INFO, 0, text);
  *self = NULL;
  *functions = NULL;
  return LONGSHORE_REFUSED;
}

#ifdef __cplusplus
extern "C"
#else
extern LONGSHORE_EXPORT const longshore_module_entry longshore_module;
#endif
    LONGSHORE_EXPORT const longshore_module_entry longshore_module = {
        LONGSHORE_MODULE_MAGIC,
        sizeof(longshore_module_entry),
        LONGSHORE_ABI_MAJOR,
        LONGSHORE_ABI_MINOR,
        "longshore-header",
        "1.0.0",
        "Longshore",
        "",
        0,
        create,
};
