/* What native_linux.go calls in place of the library's functions that take pointers to functions.
 */
#ifndef LONGSHORE_GO_NATIVE_LINUX_H_
#define LONGSHORE_GO_NATIVE_LINUX_H_

#include <longshore/agent.h>

/* `log`: the number of whom the log's lines are told; 0 is nobody. */
int32_t longshore_go_create(const char* toml_text, const char* toml_file,
                            const char* const* module_dirs, uintptr_t log, longshore_agent** agent,
                            longshore_reply** reply);

/* `user`: the number of whom the outcome is told. */
int32_t longshore_go_start(longshore_agent* agent, const char* method, const void* request,
                           size_t size, int64_t timeout_ns, uintptr_t user, uint64_t* call);

#endif /* LONGSHORE_GO_NATIVE_LINUX_H_ */
