/* Does one thing that nobody notices in an agent at once, and longshore-module-check must: FAULT.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>

#include "hostile.h"

static int has(const char* fault) { return strcmp(FAULT, fault) == 0; }

/* Called when the file is loaded. */
__attribute__((constructor)) static void begin_early(void) {
  if (has("opens_early")) open(NULL_DEVICE, O_RDONLY);
}

static void* pause_for_good(void* unused) {
  hang();
  return unused;
}

static void leak(void) {
  static void* volatile forgotten;
  pthread_t thread;
  if (has("leaks_memory")) forgotten = malloc(100);
  (void)forgotten;
  if (has("leaks_descriptors")) open(NULL_DEVICE, O_RDONLY);
  if (has("leaks_threads") && pthread_create(&thread, NULL, pause_for_good, NULL) == 0) {
    pthread_detach(thread);
  }
}

static int begins_with(longshore_bytes bytes, const char* text) {
  return bytes.size == 0 ||
         (bytes.size >= strlen(text) && memcmp(bytes.data, text, strlen(text)) == 0);
}

static void start(void* self, longshore_call call, longshore_bytes settings,
                  longshore_bytes handover) {
  leak();
  /* The instance's name, which is all that there is without options. */
  if (has("believes_settings") && !begins_with(settings, "\x1a\x04")) abort();
  if (has("believes_handover") && !begins_with(handover, "state")) abort();
  start_well(self, call, settings, handover);
}

static void stop(void* self, longshore_call call) {
  const longshore_host* host = self;
  if (has("believes_handover")) host->send(host, call, bytes_of("state"));
  stop_well(self, call);
}

static void wants_to_be_alone(void) {
  static int callers;
  if (__atomic_add_fetch(&callers, 1, __ATOMIC_SEQ_CST) > 1) abort();
  usleep(1000);
  __atomic_sub_fetch(&callers, 1, __ATOMIC_SEQ_CST);
}

static const longshore_host* the_host;

static void pass_on(void* user, longshore_invocation invocation, longshore_status_code code,
                    longshore_bytes text) {
  (void)invocation;
  the_host->finish(the_host, (longshore_call)(uintptr_t)user, code, text);
}

static void ask_another_module(const longshore_host* host, longshore_call call) {
  const longshore_invoke_request request = {
      .struct_size = sizeof(request),
      .credit = 1,
      .parent = call,
      .method = bytes_of("other.v1.Other/Get"),
      .user = (void*)(uintptr_t)call,
      .on_finish = pass_on,
  };
  longshore_invocation invocation = 0;
  the_host = host;
  if (host->invoke(host, &request, &invocation) != LONGSHORE_OK) {
    host->finish(host, call, 1, bytes_of("it is over"));
  }
}

static void invoke(void* self, longshore_call call, longshore_bytes method,
                   longshore_bytes request) {
  const longshore_host* host = self;
  if (has("lacks_handler")) return (void)host->finish(host, call, 12, bytes_of("no such method"));
  if (has("passes_on")) return ask_another_module(host, call);
  if (has("breaks_in_storms")) wants_to_be_alone();
  if (has("blocks_in_cancel")) return;
  if (has("ignores_cancel")) sleep(3);
  invoke_well(self, call, method, request);
}

static void cancel(void* self, longshore_call call) {
  const longshore_host* host = self;
  if (!has("blocks_in_cancel")) return;
  sleep(1);
  host->finish(host, call, 1, bytes_of("cancelled at last"));
}

static longshore_result create(const longshore_host* host, void** self,
                               const longshore_instance** functions) {
  static const longshore_instance functions_of_module = {
      sizeof(longshore_instance), 0, start, invoke, cancel, NULL, stop, destroy_well};
  static volatile char after;
  if (has("calls_in_create")) host->call_state(host, 1);
  if (has("wants_own_size") && host->struct_size != sizeof(*host)) return LONGSHORE_REFUSED;
  if (has("reads_past_host")) after = ((const volatile char*)host)[sizeof(*host)];
  (void)after;
  *functions = &functions_of_module;
  return make(host, self);
}

GOOD_ENTRY(create);
