/* Logs ten thousand lines a call, one of them as long as memory claims to be. */
#include "hostile.h"

static const char long_line[1 << 20] = {'l', 'o', 'n', 'g'};

static void invoke(void* self, longshore_call call, longshore_bytes method,
                   longshore_bytes request) {
  const longshore_host* host = self;
  const longshore_bytes line = {long_line, sizeof(long_line)};
  (void)method;
  (void)request;
  host->log(host, LONGSHORE_LOG_INFO, call, line);
  for (int i = 0; i < 10000; ++i) host->log(host, 1000, call, bytes_of("flood"));
  answer_with(host, call, "dry");
}

MODULE(start_well, invoke, stop_well, destroy_well);
