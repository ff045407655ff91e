/* Asks the agent, whenever it is called, to put a new instance of this module in its place. */
#include <stdlib.h>

#include "hostile.h"

struct Asked {
  const longshore_host* host;
  longshore_call call;
};

static void on_finish(void* user, longshore_invocation invocation, longshore_status_code code,
                      longshore_bytes text) {
  const struct Asked asked = *(struct Asked*)user;
  (void)invocation;
  free(user);
  asked.host->finish(asked.host, asked.call, code, text);
}

static void invoke(void* self, longshore_call call, longshore_bytes method,
                   longshore_bytes request) {
  struct Asked* asked = malloc(sizeof(*asked));
  longshore_invoke_request upgrade = {.struct_size = sizeof(upgrade), .credit = 1, .parent = call};
  longshore_invocation invocation = 0;
  (void)method;
  asked->host = self;
  asked->call = call;
  upgrade.method = bytes_of("longshore.admin.v1.Admin/Upgrade");
  upgrade.request = request;
  upgrade.user = asked;
  upgrade.on_finish = &on_finish;
  if (asked->host->invoke(asked->host, &upgrade, &invocation) != LONGSHORE_OK) abort();
}

MODULE(start_well, invoke, stop_well, destroy_well);
