/* Answers with who calls, and for whom. */
#include "hostile.h"

static void invoke(void* self, longshore_call call, longshore_bytes method,
                   longshore_bytes request) {
  const longshore_host* host = self;
  longshore_call_info info = {0};
  char text[256];
  (void)method;
  (void)request;
  info.struct_size = sizeof(info);
  host->call_info(host, call, &info);
  snprintf(text, sizeof(text), "%.*s for %.*s", (int)info.caller.size,
           (const char*)info.caller.data, (int)info.on_behalf_of.size,
           (const char*)info.on_behalf_of.data);
  answer_with(host, call, text);
}

MODULE(start_well, invoke, stop_well, destroy_well);
