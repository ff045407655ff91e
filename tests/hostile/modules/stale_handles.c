/* Uses handles that it was never given, and answers how many of the host's answers were STALE. */
#include "hostile.h"

static void invoke(void* self, longshore_call call, longshore_bytes method,
                   longshore_bytes request) {
  const longshore_host* host = self;
  const uint64_t invented[] = {0, call + 1, call + (UINT64_C(1) << 32), call ^ UINT32_MAX,
                               UINT64_MAX};
  int stale = 0;
  char text[32];
  (void)method;
  (void)request;
  for (size_t i = 0; i < sizeof(invented) / sizeof(invented[0]); ++i) {
    longshore_call_info info = {sizeof(info), 0, 0, {NULL, 0}, {NULL, 0}, {NULL, 0}};
    stale += host->call_info(host, invented[i], &info) == LONGSHORE_STALE;
    stale += host->call_state(host, invented[i]) == LONGSHORE_STALE;
    stale += host->send(host, invented[i], bytes_of("x")) == LONGSHORE_STALE;
    stale += host->finish(host, invented[i], 0, bytes_of("")) == LONGSHORE_STALE;
    stale += host->cancel(host, invented[i]) == LONGSHORE_STALE;
    stale += host->grant(host, invented[i], 1) == LONGSHORE_STALE;
    host->log(host, LONGSHORE_LOG_INFO, invented[i], bytes_of("of no call"));
  }
  snprintf(text, sizeof(text), "%d of 30", stale);
  answer_with(host, call, text);
}

MODULE(start_well, invoke, stop_well, destroy_well);
