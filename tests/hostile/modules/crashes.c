/* Writes where nothing is, in the function that CRASH_IN names, or in a thread of its own. */
#include <pthread.h>

#include "hostile.h"

static void crash(void) {
  /* Without the first, gcc leaves out the write. */
  volatile int* volatile nowhere = NULL;
  *nowhere = 1;
}

static void* crash_apart(void* unused) {
  crash();
  return unused;
}

static void start(void* self, longshore_call call, longshore_bytes settings,
                  longshore_bytes handover) {
  if (strcmp(CRASH_IN, "start") == 0) crash();
  start_well(self, call, settings, handover);
}

static void invoke(void* self, longshore_call call, longshore_bytes method,
                   longshore_bytes request) {
  pthread_t thread;
  if (strcmp(CRASH_IN, "invoke") == 0) crash();
  if (strcmp(CRASH_IN, "thread") == 0) pthread_create(&thread, NULL, crash_apart, NULL);
  invoke_well(self, call, method, request);
}

static void stop(void* self, longshore_call call) {
  if (strcmp(CRASH_IN, "stop") == 0) crash();
  stop_well(self, call);
}

static void destroy(void* self) {
  if (strcmp(CRASH_IN, "destroy") == 0) crash();
  destroy_well(self);
}

MODULE(start, invoke, stop, destroy);
