/* The agent inside your own program: liblongshore, in C.
 *
 * An agent loads modules (disk, volume, filesystem, system, those of vendors) as a TOML text or
 * file says, and answers calls: a full method name ("v1.Filesystem/PathExists"), request bytes in,
 * response bytes out, both protobuf. It is the core of the longshored process without its sockets:
 * the tables [endpoints] and [agent.http] of the configuration are checked and not used.
 *
 *     longshore_agent* agent;
 *     longshore_reply* reply;
 *     if (longshore_agent_create(&options, &agent, &reply) != 0) die(longshore_reply_text(reply));
 *     if (longshore_agent_call(agent, "v1.Filesystem/PathExists", bytes, size, NULL, &reply) == 0)
 *       use(longshore_reply_data(reply), longshore_reply_size(reply));
 *     longshore_reply_free(reply);
 *     longshore_agent_destroy(agent, NULL);
 *
 * STATUS. Functions that can fail return gRPC's status codes by number: 0 is OK, 3
 * INVALID_ARGUMENT, 4 DEADLINE_EXCEEDED and so on. Details are in the reply, if one is asked for:
 * `reply` may always be null; otherwise it is set in every case, and yours to free.
 *
 * THREADS. Every function may be called on any thread at any time, except where it says otherwise.
 * The library's own threads are started with all signals blocked, so a signal of your program is
 * handled by a thread of your program.
 *
 * YOUR PROGRAM IS YOURS. The library exports only what stands here, installs no signal handler,
 * changes no environment, locale or working directory, prints nothing and never exits. Descriptors
 * of its own are closed in programs that you start. It starts mkfs when a volume is formatted and
 * waits for it by its process id: do not ignore SIGCHLD, nor reap children that are not yours. It
 * stays mapped after dlclose(): threads and modules may still lie in wait. After fork() without
 * exec() an agent of the parent must not be used in the child. Several agents may exist side by
 * side, each with a state_dir of its own: one that another agent has is FAILED_PRECONDITION (9).
 *
 * GROWTH. Structs begin with their size and grow at the end only; zero in a field means what it
 * meant before the field existed. Set `struct_size` to sizeof of the struct and the rest to zero.
 */
#ifndef LONGSHORE_AGENT_H_
#define LONGSHORE_AGENT_H_

#include <stddef.h>
#include <stdint.h>

#if !defined(_WIN32)
#define LONGSHORE_AGENT_API __attribute__((visibility("default")))
#elif defined(LONGSHORE_AGENT_BUILD) /* of the library itself */
#define LONGSHORE_AGENT_API __declspec(dllexport)
#else
#define LONGSHORE_AGENT_API __declspec(dllimport)
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* An agent. Made by longshore_agent_create, ended by longshore_agent_destroy. */
typedef struct longshore_agent longshore_agent;

/* What became of a call, or of another function. Immutable; freed by longshore_reply_free. */
typedef struct longshore_reply longshore_reply;

/* "0.1.0". Static. */
LONGSHORE_AGENT_API const char* longshore_version(void);

/* ---- replies ---------------------------------------------------------------------------- */

/* gRPC's status code. */
LONGSHORE_AGENT_API int32_t longshore_reply_code(const longshore_reply* reply);

/* What went wrong and what to do about it; "" when nothing did. Ends with a zero byte, lives as
 * long as the reply. */
LONGSHORE_AGENT_API const char* longshore_reply_text(const longshore_reply* reply);

/* The response's bytes: of a unary call that went well, else none. They live as long as the reply
 * and need not end with a zero byte. */
LONGSHORE_AGENT_API const void* longshore_reply_data(const longshore_reply* reply);
LONGSHORE_AGENT_API size_t longshore_reply_size(const longshore_reply* reply);

/* Frees it. Null is fine. */
LONGSHORE_AGENT_API void longshore_reply_free(longshore_reply* reply);

/* ---- agents ----------------------------------------------------------------------------- */

/* A line of the log, without a line end. `level`: 1 debug, 2 info, 3 warning, 4 error. May come on
 * any thread, also while another function of the agent runs; must neither throw nor call the agent.
 */
typedef void (*longshore_log_line)(void* user, int32_t level, const char* line, size_t size);

typedef struct longshore_agent_options {
  uint64_t struct_size;
  /* The configuration: either text or the path of a file (conf.d beside it is read too). Both null:
   * an empty one, without modules. */
  const char* toml_text;
  const char* toml_file;
  /* Folders searched for modules before agent.module_dirs; a list that ends with null, or null. */
  const char* const* module_dirs;
  /* Gets the log's lines from agent.log.level on. Null: they go to agent.log.file, or nowhere. */
  longshore_log_line log;
  void* log_user;
} longshore_agent_options;

/* Makes an agent and starts its modules, which may take as long as their start_timeout. A module
 * that does not start does not keep the others from serving: calls to it tell why. Fails with
 * INVALID_ARGUMENT and every finding, a line each, when the configuration is faulty. */
LONGSHORE_AGENT_API int32_t longshore_agent_create(const longshore_agent_options* options,
                                                   longshore_agent** agent,
                                                   longshore_reply** reply);

/* Stops the modules and frees the agent. Calls that run are awaited for agent.stop_timeout and then
 * cancelled; every call that was started gets its outcome before this returns. Not to be called
 * from an event of a call, nor while another thread calls a function of this agent. A module
 * that hangs, or a function that was told of a call and does not return, is left behind, with what
 * it uses: that is DEADLINE_EXCEEDED, and the agent is gone all the same. Null is fine. */
LONGSHORE_AGENT_API int32_t longshore_agent_destroy(longshore_agent* agent,
                                                    longshore_reply** reply);

/* Brings the agent to another configuration: what did not change keeps running, and an error
 * changes nothing. Null: reads the file of longshore_agent_options again. One at a time; a second
 * caller waits. The reply's text is empty, or says what is wrong. */
LONGSHORE_AGENT_API int32_t longshore_agent_reload(longshore_agent* agent, const char* toml_text,
                                                   longshore_reply** reply);

/* ---- calls ------------------------------------------------------------------------------ */

typedef struct longshore_call_options {
  uint64_t struct_size;
  /* How long it may take, in nanoseconds. 0: as the configuration says, which also bounds what is
   * asked for here. */
  int64_t timeout_ns;
  /* For logs: up to 64 letters, digits, '-', '_' and '.'. Null: a new one. */
  const char* request_id;
} longshore_call_options;

/* What happens to a call that was started. They may come on any thread, also on the caller's before
 * longshore_agent_start_call returns; never two at a time for one call. One that blocks holds up
 * the module's thread that brings it, or the outcomes of other calls whose time is over; no
 * deadline. They must not throw where they are C++. They may start, cancel and resume calls; what
 * waits (longshore_agent_call, _reload, _destroy) is FAILED_PRECONDITION in them. */
typedef struct longshore_call_events {
  uint64_t struct_size;
  void* user;
  /* A message of a stream. The bytes are the library's and gone afterwards. Answers whether there
   * is room for more; after a 0 the next comes when longshore_agent_resume was called. Null:
   * messages are thrown away. */
  int32_t (*on_message)(void* user, const void* data, size_t size);
  /* The outcome: exactly once, and nothing after it. The reply is yours to free. */
  void (*on_done)(void* user, longshore_reply* reply);
} longshore_call_events;

/* Calls a unary method and waits for its end. The module's code runs on this very thread, unless
 * `max_concurrent_calls` others run already: then it waits for its turn.
 *
 * `options` may be null. The deadline makes the outcome DEADLINE_EXCEEDED, and the module is told;
 * but as it is this thread that is inside the module, the function returns when the module does.
 * Start the call instead to be free at the deadline whatever the module does.
 * INVALID_ARGUMENT: the method streams. */
LONGSHORE_AGENT_API int32_t longshore_agent_call(longshore_agent* agent, const char* method,
                                                 const void* request, size_t request_size,
                                                 const longshore_call_options* options,
                                                 longshore_reply** reply);

/* Starts a call, unary or streaming, on a thread of the module's pool. The request is copied.
 * `call` (may be null) gets its handle, 0 when it is over already. Always OK, except
 * INVALID_ARGUMENT when `events` has no struct_size or no on_done, and RESOURCE_EXHAUSTED when
 * there is no memory for it: then nothing is told. Every other outcome is told by on_done.
 * It waits for its turn while `max_concurrent_calls` others run. Where `max_queued_calls` wait
 * already, or 16 MiB of such calls and their requests, the outcome is RESOURCE_EXHAUSTED. */
LONGSHORE_AGENT_API int32_t longshore_agent_start_call(longshore_agent* agent, const char* method,
                                                       const void* request, size_t request_size,
                                                       const longshore_call_options* options,
                                                       const longshore_call_events* events,
                                                       uint64_t* call);

/* Ends the wait for a call: its outcome is CANCELLED, unless it has one already. What the module
 * has begun may still take effect. NOT_FOUND: the call is over, or was never one of this agent's.
 */
LONGSHORE_AGENT_API int32_t longshore_agent_cancel(longshore_agent* agent, uint64_t call);

/* There is room again, after an on_message that answered 0. NOT_FOUND as above. */
LONGSHORE_AGENT_API int32_t longshore_agent_resume(longshore_agent* agent, uint64_t call);

#ifdef __cplusplus
}
#endif

#endif /* LONGSHORE_AGENT_H_ */
