#include <longshore/agent.h>

#include "_cgo_export.h"

static void on_done(void* user, longshore_reply* reply) { longshoreGoDone((uintptr_t)user, reply); }

void longshore_go_start(longshore_agent* agent, const char* method, const void* request,
                        size_t size, const longshore_call_options* options, uintptr_t user,
                        uint64_t* call) {
  const longshore_call_events events = {
      .struct_size = sizeof(events), .user = (void*)user, .on_done = on_done};
  longshore_agent_start_call(agent, method, request, size, options, &events, call);
}
