/* Hangs for good in what it is told: HANG_IN. */
#include "hostile.h"

static int hangs_in(const char* function) { return strcmp(HANG_IN, function) == 0; }

static void on_finish(void* user, longshore_invocation invocation, longshore_status_code code,
                      longshore_bytes text) {
  (void)user;
  (void)invocation;
  (void)code;
  (void)text;
  hang();
}

/* Never finished: by a completion it cannot be, and the others are told while it runs. */
static void invoke(void* self, longshore_call call, longshore_bytes method,
                   longshore_bytes request) {
  const longshore_host* host = self;
  (void)method;
  if (hangs_in("completion")) {
    longshore_invoke_request other = {.struct_size = sizeof(other), .credit = 1, .parent = call};
    longshore_invocation invocation = 0;
    other.method = bytes_of("hostile.v1.Hostile/Do");
    other.request = request;
    other.on_finish = &on_finish;
    host->invoke(host, &other, &invocation);
  }
  if (hangs_in("writable")) {
    while (host->send(host, call, bytes_of("more")) == LONGSHORE_OK) {
    }
  }
}

static void told(void* self, longshore_call call) {
  (void)self;
  (void)call;
  hang();
}

static longshore_result create(const longshore_host* host, void** self,
                               const longshore_instance** functions) {
  static longshore_instance functions_of_module = {
      sizeof(longshore_instance), 0, start_well, invoke, NULL, NULL, stop_well, destroy_well};
  if (hangs_in("cancel")) functions_of_module.cancel = &told;
  if (hangs_in("writable")) functions_of_module.writable = &told;
  *functions = &functions_of_module;
  return make(host, self);
}

GOOD_ENTRY(create);
