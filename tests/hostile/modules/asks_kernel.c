/* Asks the kernel for what it is told, and answers with errno, 0 when it was done:
 *   "call 101 0 0"    the system call of that number, with these arguments
 *   "x32 39"          the same by x32's number
 *   "write <path>"    make or open the file and write to it
 *   "read <path>"     open the file and read from it
 *   "mount <folder>"  change the flags of a mount, which the folder should not be one
 *   "run <program> <word>"  start the program, and answer with its exit status */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "hostile.h"

static int outcome(long value) { return value < 0 ? errno : 0; }

static int write_to(const char* path) {
  const int file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) return errno;
  const int answer = outcome(write(file, "x", 1));
  close(file);
  return answer;
}

static int read_from(const char* path) {
  char byte = 0;
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return errno;
  const int answer = outcome(read(file, &byte, 1));
  close(file);
  return answer;
}

static int run(char* program, char* word) {
  char* const words[] = {program, word, NULL};
  int status = 0;
  const pid_t child = fork();
  if (child < 0) return errno;
  if (child == 0) {
    execv(program, words);
    _exit(127);
  }
  if (waitpid(child, &status, 0) < 0) return errno;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int obey(const char* wish, char* first, char* second, long third) {
  const long number = strtol(first, NULL, 0);
  if (strcmp(wish, "call") == 0) {
    const long answer = syscall(number, strtol(second, NULL, 0), third, 0, 0, 0);
    if (number == SYS_clone && answer == 0) _exit(0); /* the copy */
    return outcome(answer);
  }
  if (strcmp(wish, "x32") == 0) return outcome(syscall(0x40000000L | number));
  if (strcmp(wish, "write") == 0) return write_to(first);
  if (strcmp(wish, "read") == 0) return read_from(first);
  if (strcmp(wish, "mount") == 0)
    return outcome(mount("none", first, NULL, MS_REMOUNT | MS_BIND, ""));
  return run(first, second);
}

static void invoke(void* self, longshore_call call, longshore_bytes method,
                   longshore_bytes request) {
  char text[512] = "", wish[16] = "", first[256] = "", second[128] = "";
  long third = 0;
  (void)method;
  memcpy(text, request.data, request.size < sizeof(text) - 1 ? request.size : sizeof(text) - 1);
  sscanf(text, "%15s %255s %127s %li", wish, first, second, &third);
  snprintf(text, sizeof(text), "%d", obey(wish, first, second, third));
  answer_with(self, call, text);
}

MODULE(start_well, invoke, stop_well, destroy_well);
