/* Leaves copies of its process behind, out of the process's group and session: as many as are asked
 * for, "12", or as many as it can have. Answers how many there are. */
#include <stdlib.h>

#include "hostile.h"

static void invoke(void* self, longshore_call call, longshore_bytes method,
                   longshore_bytes request) {
  char text[16] = "";
  int wanted = 0, made = 0;
  (void)method;
  memcpy(text, request.data, request.size < 15 ? request.size : 15);
  for (wanted = atoi(text); made < wanted; ++made) {
    const pid_t child = fork();
    if (child < 0) break;
    if (child == 0) {
      setsid();
      for (;;) pause();
    }
  }
  snprintf(text, sizeof(text), "%d", made);
  answer_with(self, call, text);
}

MODULE(start_well, invoke, stop_well, destroy_well);
