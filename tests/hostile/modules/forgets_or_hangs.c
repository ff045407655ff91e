/* Forgets the call "forget", hangs in the call "hang", and answers all others. */
#include "hostile.h"

static int is(longshore_bytes request, const char* word) {
  return request.size == strlen(word) && memcmp(request.data, word, request.size) == 0;
}

static void invoke(void* self, longshore_call call, longshore_bytes method,
                   longshore_bytes request) {
  (void)method;
  if (is(request, "forget")) return;
  if (is(request, "hang")) hang();
  answer_with(self, call, "well");
}

MODULE(start_well, invoke, stop_well, destroy_well);
