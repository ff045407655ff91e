/* Finishes each call a second time, with another outcome, and logs what it was told. */
#include "hostile.h"

static void invoke(void* self, longshore_call call, longshore_bytes method,
                   longshore_bytes request) {
  const longshore_host* host = self;
  char text[64];
  (void)method;
  (void)request;
  answer_with(host, call, "first");
  snprintf(text, sizeof(text), "the second finish: %d, a late send: %d",
           host->finish(host, call, 13, bytes_of("second")),
           host->send(host, call, bytes_of("late")));
  host->log(host, LONGSHORE_LOG_INFO, call, bytes_of(text));
}

MODULE(start_well, invoke, stop_well, destroy_well);
