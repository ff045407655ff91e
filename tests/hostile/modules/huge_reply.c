/* The request "claim": claims a gibibyte where it has one byte. Otherwise sends two mebibytes. */
#include "hostile.h"

static const char two_mebibytes[2 << 20];

static void invoke(void* self, longshore_call call, longshore_bytes method,
                   longshore_bytes request) {
  const longshore_host* host = self;
  const longshore_bytes lie = {"x", UINT64_C(1) << 30};
  const longshore_bytes large = {two_mebibytes, sizeof(two_mebibytes)};
  (void)method;
  const longshore_result answer = host->send(host, call, request.size == 5 ? lie : large);
  host->log(host, LONGSHORE_LOG_INFO, call,
            bytes_of(answer == LONGSHORE_REFUSED ? "send was refused" : "send was not refused"));
  host->finish(host, call, 0, bytes_of(""));
}

MODULE(start_well, invoke, stop_well, destroy_well);
