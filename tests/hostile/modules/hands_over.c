/* Leaves something for the next instance, and answers with what the one before it left. */
#include "hostile.h"

static char received[64];

static void start(void* self, longshore_call call, longshore_bytes settings,
                  longshore_bytes handover) {
  snprintf(received, sizeof(received), "got: %.*s", (int)handover.size, (const char*)handover.data);
  start_well(self, call, settings, handover);
}

static void invoke(void* self, longshore_call call, longshore_bytes method,
                   longshore_bytes request) {
  (void)method;
  (void)request;
  answer_with(self, call, received);
}

static void stop(void* self, longshore_call call) {
  const longshore_host* host = self;
  host->send(host, call, bytes_of("two "));
  host->send(host, call, bytes_of("parts"));
  stop_well(self, call);
}

MODULE(start, invoke, stop, destroy_well);
