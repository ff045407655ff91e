/* Leaves a thread behind that uses the host and its old call after destroy, and again whenever a
 * byte comes on the socket whose number is the request. It writes what it was answered there. */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

#include "hostile.h"

static const longshore_host* old_host;
static longshore_call old_call;
static int report;
static sem_t destroyed;

static void on_finish(void* user, longshore_invocation invocation, longshore_status_code code,
                      longshore_bytes text) {
  (void)user;
  (void)invocation;
  (void)code;
  (void)text;
  abort();
}

static void on_post(void* user, longshore_result answer) {
  (void)user;
  (void)answer;
  abort();
}

static void use_what_is_gone(void) {
  const longshore_host* host = old_host;
  const longshore_invoke_request request = {sizeof(request), 1,    0,    0,         {"a/b", 3},
                                            {NULL, 0},       NULL, NULL, &on_finish};
  longshore_invocation invocation = 0;
  char text[64];
  host->log(host, LONGSHORE_LOG_INFO, old_call, bytes_of("from the past"));
  const int size =
      snprintf(text, sizeof(text), "finish %d, state %d, invoke %d, post %d\n",
               host->finish(host, old_call, 0, bytes_of("")), host->call_state(host, old_call),
               host->invoke(host, &request, &invocation), host->post(host, 0, &on_post, NULL));
  if (write(report, text, (size_t)size) != size) abort();
}

static void* linger(void* unused) {
  char byte;
  while (sem_wait(&destroyed) != 0) {
  }
  do {
    use_what_is_gone();
  } while (read(report, &byte, 1) == 1);
  return unused;
}

static void invoke(void* self, longshore_call call, longshore_bytes method,
                   longshore_bytes request) {
  char number[16] = {0};
  pthread_t thread;
  (void)method;
  memcpy(number, request.data, request.size < 15 ? request.size : 15);
  report = atoi(number);
  old_host = self;
  old_call = call;
  sem_init(&destroyed, 0, 0);
  if (pthread_create(&thread, NULL, &linger, NULL) == 0) pthread_detach(thread);
  answer_with(old_host, call, "well");
}

static void destroy(void* self) {
  (void)self;
  sem_post(&destroyed);
}

MODULE(start_well, invoke, stop_well, destroy);
