/* A module for tests of processes on Windows. A request is a word, and what it is done with:
 *
 *   say <text>          answers with the text
 *   crash               touches memory that is not there
 *   abort               gives up
 *   exit                ends the process with code 3
 *   hang                never answers, and the module's stop does not return either
 *   signal <handle>     sets the event that has this handle in the process, if one does
 *   leave               starts a program that stays, and answers with its number
 *   variable <name>     answers with a variable of the environment
 *   allocate <bytes>    answers "there" or "none"
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include "longshore/abi.h"
#include "module_description.h"

enum { kTextBytes = 1024 };

static volatile bool hangs = false;
static int* volatile nowhere = NULL;

static longshore_bytes bytes_of(const char* text) {
  const longshore_bytes bytes = {text, strlen(text)};
  return bytes;
}

static void say_signal(const char* number, char* answer) {
  const HANDLE event = (HANDLE)(uintptr_t)strtoull(number, NULL, 10);
  strcpy(answer, SetEvent(event) ? "set" : "no such event");
}

/* It never runs, so that it stays until somebody ends it. */
static void say_left(char* answer) {
  char program[MAX_PATH];
  STARTUPINFOA how;
  PROCESS_INFORMATION started;
  memset(&how, 0, sizeof(how));
  how.cb = sizeof(how);
  GetModuleFileNameA(NULL, program, sizeof(program));
  if (!CreateProcessA(program, NULL, NULL, NULL, FALSE, CREATE_SUSPENDED | CREATE_NO_WINDOW, NULL,
                      NULL, &how, &started)) {
    snprintf(answer, kTextBytes, "error %lu", (unsigned long)GetLastError());
    return;
  }
  CloseHandle(started.hThread);
  CloseHandle(started.hProcess);
  snprintf(answer, kTextBytes, "%lu", (unsigned long)started.dwProcessId);
}

static void say_variable(const char* name, char* answer) {
  if (GetEnvironmentVariableA(name, answer, kTextBytes) == 0) strcpy(answer, "none");
}

static void say_allocated(const char* bytes, char* answer) {
  const size_t size = (size_t)strtoull(bytes, NULL, 10);
  void* const memory = VirtualAlloc(NULL, size, MEM_COMMIT | MEM_RESERVE, PAGE_READWRITE);
  strcpy(answer, memory ? "there" : "none");
  if (memory) VirtualFree(memory, 0, MEM_RELEASE);
}

static void start(void* self, longshore_call call, longshore_bytes settings,
                  longshore_bytes handover) {
  const longshore_host* const host = self;
  (void)settings;
  (void)handover;
  printf("the trial starts\n");
  fflush(stdout);
  host->finish(host, call, 0, bytes_of(""));
}

static void invoke(void* self, longshore_call call, longshore_bytes method,
                   longshore_bytes request) {
  const longshore_host* const host = self;
  char text[kTextBytes] = "";
  char answer[kTextBytes] = "";
  const size_t size = request.size < sizeof(text) ? request.size : sizeof(text) - 1;
  (void)method;
  memcpy(text, request.data, size);
  char* const blank = strchr(text, ' ');
  const char* const rest = blank ? blank + 1 : "";
  if (blank) *blank = '\0';
  if (strcmp(text, "say") == 0) strcpy(answer, rest);
  if (strcmp(text, "crash") == 0) *nowhere = 1;
  if (strcmp(text, "abort") == 0) abort();
  if (strcmp(text, "exit") == 0) ExitProcess(3);
  if (strcmp(text, "hang") == 0) {
    hangs = true;
    return;
  }
  if (strcmp(text, "signal") == 0) say_signal(rest, answer);
  if (strcmp(text, "leave") == 0) say_left(answer);
  if (strcmp(text, "variable") == 0) say_variable(rest, answer);
  if (strcmp(text, "allocate") == 0) say_allocated(rest, answer);
  host->send(host, call, bytes_of(answer));
  host->finish(host, call, 0, bytes_of(""));
}

static void stop(void* self, longshore_call call) {
  const longshore_host* const host = self;
  if (hangs) Sleep(INFINITE);
  host->finish(host, call, 0, bytes_of(""));
}

static void destroy(void* self) { (void)self; }

static const longshore_instance functions_of_trial = {
    sizeof(longshore_instance), 0, start, invoke, NULL, NULL, stop, destroy};

static longshore_result create(const longshore_host* host, void** self,
                               const longshore_instance** functions) {
  *self = (void*)(uintptr_t)host;
  *functions = &functions_of_trial;
  return LONGSHORE_OK;
}

LONGSHORE_EXPORT const longshore_module_entry longshore_module = {
    LONGSHORE_MODULE_MAGIC,
    sizeof(longshore_module_entry),
    LONGSHORE_ABI_MAJOR,
    0,
    "longshore-trial",
    "1.0",
    "Nobody",
    longshore_module_description,
    sizeof(longshore_module_description),
    create};
