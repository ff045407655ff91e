/* Loads liblongshore by hand, uses it and unloads it, over and over; then looks up a name that the
 * library must not have brought.
 *
 *   dlopen_program <liblongshore.so> <module folder> <state folder> */
#include <dlfcn.h>
#include <longshore/agent.h>
#include <stdio.h>
#include <string.h>

#define LOOK_UP(library, name) \
  __typeof__(&name) call_##name = (__typeof__(&name))(size_t)dlsym(library, #name)

static int once(const char* path, const char* modules, const char* state) {
  char toml[1024];
  const char* const folders[] = {modules, NULL};
  longshore_agent_options options = {.struct_size = sizeof(options), .module_dirs = folders};
  longshore_agent* agent = NULL;
  longshore_reply* reply = NULL;
  int32_t status = 0;
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) return printf("dlopen: %s\n", dlerror()), 1;
  LOOK_UP(library, longshore_agent_create);
  LOOK_UP(library, longshore_agent_call);
  LOOK_UP(library, longshore_agent_destroy);
  LOOK_UP(library, longshore_reply_text);
  LOOK_UP(library, longshore_reply_data);
  LOOK_UP(library, longshore_reply_size);
  LOOK_UP(library, longshore_reply_free);
  snprintf(toml, sizeof(toml), "[agent]\nstate_dir = \"%s\"\n[modules.echo]\n", state);
  options.toml_text = toml;
  status = call_longshore_agent_create(&options, &agent, &reply);
  if (status != 0) return printf("create: %s\n", call_longshore_reply_text(reply)), 1;
  call_longshore_reply_free(reply);
  status =
      call_longshore_agent_call(agent, "longshore.echo.v1.Echo/Say", "\n\003abc", 5, NULL, &reply);
  if (status != 0 || call_longshore_reply_size(reply) != 5 ||
      memcmp(call_longshore_reply_data(reply), "\n\003abc", 5) != 0) {
    return printf("call: %d %s\n", (int)status, call_longshore_reply_text(reply)), 1;
  }
  call_longshore_reply_free(reply);
  if (call_longshore_agent_destroy(agent, NULL) != 0) return printf("destroy\n"), 1;
  return dlclose(library);
}

int main(int argc, char** argv) {
  int round = 0;
  if (argc != 4) return 2;
  for (; round < 5; ++round) {
    if (once(argv[1], argv[2], argv[3]) != 0) return 1;
  }
  printf("%d rounds\n", round);
  return 0;
}
