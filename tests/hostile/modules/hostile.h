/* What the hostile modules share: everything that they do as they should. `self` of an instance is
 * its host table. */
#ifndef TESTS_HOSTILE_H_
#define TESTS_HOSTILE_H_

#include <stdio.h>
#include <string.h>
#include <unistd.h>
#ifdef _WIN32
#include <windows.h>
#endif

#include "longshore/abi.h"
#include "module_description.h"

static inline longshore_bytes bytes_of(const char* text) {
  const longshore_bytes bytes = {text, strlen(text)};
  return bytes;
}

static inline void start_well(void* self, longshore_call call, longshore_bytes settings,
                              longshore_bytes handover) {
  const longshore_host* host = self;
  (void)settings;
  (void)handover;
  host->finish(host, call, 0, bytes_of(""));
}

static inline void stop_well(void* self, longshore_call call) {
  const longshore_host* host = self;
  host->finish(host, call, 0, bytes_of(""));
}

static inline void destroy_well(void* self) { (void)self; }

/* Ends a call with `text` as its answer. */
static inline void answer_with(const longshore_host* host, longshore_call call, const char* text) {
  host->send(host, call, bytes_of(text));
  host->finish(host, call, 0, bytes_of(""));
}

static inline void invoke_well(void* self, longshore_call call, longshore_bytes method,
                               longshore_bytes request) {
  (void)method;
  (void)request;
  answer_with(self, call, "well");
}

static inline longshore_result make(const longshore_host* host, void** self) {
  *self = (void*)(uintptr_t)host;
  return LONGSHORE_OK;
}

#ifdef _WIN32
static inline void hang(void) { Sleep(INFINITE); }
#define NULL_DEVICE "NUL"
#else
static inline void hang(void) {
  for (;;) pause();
}
#define NULL_DEVICE "/dev/null"
#endif

/* An entry of which any part may be wrong. */
#define ENTRY(magic, size, major, minor, create)                                                   \
  {                                                                                                \
    magic, size, major, minor, "longshore-hostile", "1.0", "Nobody", longshore_module_description, \
        sizeof(longshore_module_description), create                                               \
  }

#define GOOD_ENTRY(create)                                                \
  LONGSHORE_EXPORT const longshore_module_entry longshore_module = ENTRY( \
      LONGSHORE_MODULE_MAGIC, sizeof(longshore_module_entry), LONGSHORE_ABI_MAJOR, 0, create)

/* A module of these functions. */
#define MODULE(start, invoke, stop, destroy)                                    \
  static const longshore_instance functions_of_module = {                       \
      sizeof(longshore_instance), 0, start, invoke, NULL, NULL, stop, destroy}; \
  static longshore_result create(const longshore_host* host, void** self,       \
                                 const longshore_instance** functions) {        \
    *functions = &functions_of_module;                                          \
    return make(host, self);                                                    \
  }                                                                             \
  GOOD_ENTRY(create)

#endif
