/* A module of 17 methods that do nothing. tests/bench/run_many makes many of it, each with a number
 * of its own in place of the one in the names. */
#include "longshore/abi.h"
#include "module_description.h"

static const longshore_bytes nothing = {"", 0};

/* `self` of an instance is its host table, which the agent gives it to keep and never to change. */
static void start(void* self, longshore_call call, longshore_bytes settings,
                  longshore_bytes handover) {
  const longshore_host* host = self;
  (void)settings;
  (void)handover;
  host->finish(host, call, 0, nothing);
}

static void invoke(void* self, longshore_call call, longshore_bytes method,
                   longshore_bytes request) {
  const longshore_host* host = self;
  (void)method;
  (void)request;
  host->send(host, call, nothing);
  host->finish(host, call, 0, nothing);
}

static void stop(void* self, longshore_call call) {
  const longshore_host* host = self;
  host->finish(host, call, 0, nothing);
}

static void destroy(void* self) { (void)self; }

static longshore_result create(const longshore_host* host, void** self,
                               const longshore_instance** functions) {
  static const longshore_instance ours = {
      sizeof(longshore_instance), 0, start, invoke, NULL, NULL, stop, destroy};
  *self = (void*)(uintptr_t)host;
  *functions = &ours;
  return LONGSHORE_OK;
}

LONGSHORE_EXPORT const longshore_module_entry longshore_module = {
    LONGSHORE_MODULE_MAGIC,
    sizeof(longshore_module_entry),
    LONGSHORE_ABI_MAJOR,
    0,
    "bench-many00",
    "1.0",
    "Nobody",
    longshore_module_description,
    sizeof(longshore_module_description),
    create};
