#include "native_linux.h"

#include "_cgo_export.h"

static void on_done(void* user, longshore_reply* reply) { longshoreGoDone((uintptr_t)user, reply); }

static void on_line(void* user, int32_t level, const char* line, size_t size) {
  longshoreGoLine((uintptr_t)user, level, (char*)line, size);
}

int32_t longshore_go_create(const char* toml_text, const char* toml_file,
                            const char* const* module_dirs, uintptr_t log, longshore_agent** agent,
                            longshore_reply** reply) {
  const longshore_agent_options options = {.struct_size = sizeof(options),
                                           .toml_text = toml_text,
                                           .toml_file = toml_file,
                                           .module_dirs = module_dirs,
                                           .log = log != 0 ? on_line : NULL,
                                           .log_user = (void*)log};
  return longshore_agent_create(&options, agent, reply);
}

int32_t longshore_go_start(longshore_agent* agent, const char* method, const void* request,
                           size_t size, int64_t timeout_ns, uintptr_t user, uint64_t* call) {
  const longshore_call_options options = {.struct_size = sizeof(options), .timeout_ns = timeout_ns};
  const longshore_call_events events = {
      .struct_size = sizeof(events), .user = (void*)user, .on_done = on_done};
  return longshore_agent_start_call(agent, method, request, size, &options, &events, call);
}
