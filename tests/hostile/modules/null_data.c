/* Passes null where bytes should be, and answers how many of its calls were REFUSED. */
#include "hostile.h"

static void on_finish(void* user, longshore_invocation invocation, longshore_status_code code,
                      longshore_bytes text) {
  (void)user;
  (void)invocation;
  (void)code;
  (void)text;
}

static void invoke(void* self, longshore_call call, longshore_bytes method,
                   longshore_bytes request) {
  const longshore_host* host = self;
  const longshore_bytes nothing = {NULL, 5};
  const longshore_invoke_request null_method = {sizeof(null_method), 1,    call, 0,         nothing,
                                                {NULL, 0},           NULL, NULL, &on_finish};
  const longshore_invoke_request null_finish = {sizeof(null_finish), 1,    call, 0,   {"a/b", 3},
                                                {NULL, 0},           NULL, NULL, NULL};
  longshore_invocation invocation = 0;
  int refused = 0;
  char text[16];
  (void)method;
  (void)request;
  refused += host->send(host, call, nothing) == LONGSHORE_REFUSED;
  refused += host->call_info(host, call, NULL) == LONGSHORE_REFUSED;
  refused += host->invoke(host, NULL, &invocation) == LONGSHORE_REFUSED;
  refused += host->invoke(host, &null_method, &invocation) == LONGSHORE_REFUSED;
  refused += host->invoke(host, &null_finish, &invocation) == LONGSHORE_REFUSED;
  refused += host->invoke(host, &null_finish, NULL) == LONGSHORE_REFUSED;
  refused += host->post(host, 0, NULL, NULL) == LONGSHORE_REFUSED;
  host->log(host, LONGSHORE_LOG_INFO, call, nothing);
  snprintf(text, sizeof(text), "%d of 7", refused);
  host->send(host, call, bytes_of(text));
  host->finish(host, call, 0, nothing);
}

MODULE(start_well, invoke, stop_well, destroy_well);
