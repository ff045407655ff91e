/* A program in C that has the agent in it, by liblongshore.dll and its import library. Its module
 * lies beside it. Says what is not as it should be, and ends with 1 then. */
#include <longshore/agent.h>
#include <stdio.h>
#include <string.h>
#include <windows.h>

static int faults = 0;

static void check_that(int is_so, const char* what, const char* said) {
  if (is_so) return;
  printf("not so: %s (%s)\n", what, said);
  ++faults;
}

static void count_line(void* user, int32_t level, const char* line, size_t size) {
  LONG volatile* const lines = user;
  (void)level;
  (void)line;
  if (size > 0) InterlockedIncrement(lines);
}

/* The folder that this program lies in. */
static void own_folder(char* folder, DWORD size) {
  GetModuleFileNameA(NULL, folder, size);
  *strrchr(folder, '\\') = '\0';
}

struct outcome {
  HANDLE ended;
  int32_t code;
};

static void on_done(void* user, longshore_reply* reply) {
  struct outcome* const outcome = user;
  outcome->code = longshore_reply_code(reply);
  longshore_reply_free(reply);
  SetEvent(outcome->ended);
}

static void call_and_cancel(longshore_agent* agent) {
  /* A minute, and nobody waits for it. */
  static const char kRequest[] = "\x08\xe0\xd4\x03";
  struct outcome outcome = {CreateEventW(NULL, TRUE, FALSE, NULL), -1};
  longshore_call_events events = {.struct_size = sizeof(events)};
  uint64_t call = 0;
  events.user = &outcome;
  events.on_done = on_done;
  check_that(longshore_agent_start_call(agent, "longshore.echo.v1.Echo/Wait", kRequest,
                                        sizeof(kRequest) - 1, NULL, &events, &call) == 0,
             "a call is started", "");
  check_that(longshore_agent_cancel(agent, call) == 0, "it is cancelled", "");
  check_that(WaitForSingleObject(outcome.ended, 60000) == WAIT_OBJECT_0, "it ends", "");
  check_that(outcome.code == 1, "it ends as cancelled", "");
  CloseHandle(outcome.ended);
}

static void call_waiting(longshore_agent* agent) {
  longshore_reply* reply = NULL;
  int32_t code =
      longshore_agent_call(agent, "longshore.echo.v1.Echo/Say", "\n\003abc", 5, NULL, &reply);
  check_that(code == 0, "a call has its answer", longshore_reply_text(reply));
  check_that(
      longshore_reply_size(reply) == 5 && memcmp(longshore_reply_data(reply), "\n\003abc", 5) == 0,
      "the answer is the module's", "");
  longshore_reply_free(reply);
  code = longshore_agent_call(agent, "longshore.echo.v1.Echo/Shout", NULL, 0, NULL, &reply);
  check_that(code == 12, "a method that nobody serves is UNIMPLEMENTED",
             longshore_reply_text(reply));
  longshore_reply_free(reply);
}

static void live(const char* modules, const char* state) {
  char toml[1024];
  LONG volatile lines = 0;
  const char* const folders[] = {modules, NULL};
  longshore_agent_options options = {.struct_size = sizeof(options), .module_dirs = folders};
  longshore_agent* agent = NULL;
  longshore_reply* reply = NULL;
  snprintf(toml, sizeof(toml), "[agent]\nstate_dir = '%s'\n[modules.echo]\n", state);
  options.toml_text = toml;
  options.log = count_line;
  options.log_user = (void*)&lines;
  check_that(longshore_agent_create(&options, &agent, &reply) == 0, "an agent is made",
             longshore_reply_text(reply));
  longshore_reply_free(reply);
  if (!agent) return;
  check_that(lines > 0, "it logs", "");
  call_waiting(agent);
  call_and_cancel(agent);
  check_that(longshore_agent_reload(agent, toml, NULL) == 0, "it is reloaded", "");
  check_that(longshore_agent_destroy(agent, &reply) == 0, "it ends", longshore_reply_text(reply));
  longshore_reply_free(reply);
}

static void refuse(void) {
  longshore_agent_options options = {.struct_size = sizeof(options)};
  longshore_agent* agent = NULL;
  longshore_reply* reply = NULL;
  options.toml_text = "[agent]\nno_such_key = 1\n";
  check_that(longshore_agent_create(&options, &agent, &reply) == 3 && !agent,
             "a faulty configuration is refused", longshore_reply_text(reply));
  check_that(strstr(longshore_reply_text(reply), "no_such_key") != NULL, "with what is wrong",
             longshore_reply_text(reply));
  longshore_reply_free(reply);
  check_that(longshore_agent_call(NULL, "x.v1.X/Y", NULL, 0, NULL, NULL) == 3,
             "no agent is INVALID_ARGUMENT", "");
}

int main(void) {
  char modules[MAX_PATH];
  char state[MAX_PATH + 32];
  char temporary[MAX_PATH];
  int round = 0;
  own_folder(modules, sizeof(modules));
  GetTempPathA(sizeof(temporary), temporary);
  snprintf(state, sizeof(state), "%slongshore-embed-%lu", temporary,
           (unsigned long)GetCurrentProcessId());
  check_that(strcmp(longshore_version(), "") != 0, "it has a version", "");
  for (; round < 3; ++round) live(modules, state);
  refuse();
  /* Threads of modules may still be inside. */
  FreeLibrary(GetModuleHandleA("liblongshore.dll"));
  FreeLibrary(GetModuleHandleA("liblongshore.dll"));
  check_that(GetModuleHandleA("liblongshore.dll") != NULL, "it stays loaded", "");
  return faults == 0 ? 0 : 1;
}
