/* The module ABI of Longshore, version 0.2: the whole contract between the agent and a module.
 *
 * A module is a shared object or DLL that exports one constant, `longshore_module`. The agent reads
 * it, and the description it points to, from the file without running any of the module's code.
 * Then it loads the image and creates instances, each with a configuration of its own.
 *
 * Everything is one idea: a call is a full method name ("v1.Disk/ListDiskIDs") and request bytes
 * (protobuf), and ends in messages and a status. It works the same way in both directions: the
 * agent calls the module through `longshore_instance`, the module calls the agent, and through it
 * other modules, through `longshore_host`. Starting and stopping an instance are calls as well.
 *
 * THREADS. Each function says in brackets who may call it and on which thread:
 *   [control]     one at a time per instance, on a thread of the agent's choice, may block;
 *   [pool]        a thread of the instance's own pool, or, for unary methods that only read, one
 *                 that the agent replaces as soon as it blocks: may block either way;
 *   [completion]  a thread of the instance's for all of these, or the one that is inside of its
 *                 function which caused this; must not block: the others of the instance wait;
 *   [any]         any thread, at any time between `create` and the return of `destroy`.
 *
 * HANDLES. A call is named by a 64-bit handle that carries a generation, never by a pointer. The
 * table behind it belongs to the agent and outlives the instance: a late, doubled or invented
 * handle is answered LONGSHORE_STALE and does nothing.
 *
 * MEMORY. Bytes belong to the side that passes them and are valid until the function returns,
 * except where a comment says longer. What must live on is copied. No allocator crosses the line.
 *
 * EXCEPTIONS never cross the line, in either direction.
 *
 * GROWTH. Structs with a `struct_size` grow at the end only. A reader takes the smaller of the two
 * sizes, treats what is missing as zero and ignores a tail that it does not know; zero always means
 * what it meant before the field existed. Sized structs are passed by pointer only, never embedded,
 * put in arrays or returned. Until 1.0 anything here may change, with the minor version; from 1.0
 * on nothing released ever changes its meaning. A module states the minor version that it *needs*,
 * not the one it was built with: one built with a newer SDK that needs nothing new loads in an
 * older agent.
 *
 * ORDER OF END. stop; all calls finished; all completions of the instance's own invocations and
 * posts delivered; all its functions returned; destroy. After destroy returns the agent runs none
 * of the instance's code. The image stays mapped for good, so a thread that the module forgot
 * crashes nothing by returning.
 */
#ifndef LONGSHORE_ABI_H_
#define LONGSHORE_ABI_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LONGSHORE_ABI_MAJOR 0
#define LONGSHORE_ABI_MINOR 2

/* First member of `longshore_module`; "longshor" in little-endian ASCII. */
#define LONGSHORE_MODULE_MAGIC UINT64_C(0x726f6873676e6f6c)

/* What a function of the other side answers. Not a call's outcome: that is a status code. */
typedef int32_t longshore_result;
#define LONGSHORE_OK 0
#define LONGSHORE_STALE 1       /* the handle names nothing (any more) */
#define LONGSHORE_CANCELLED 2   /* the call is cancelled or past its deadline; finish it soon */
#define LONGSHORE_WOULD_BLOCK 3 /* no credit: not taken, try again after `writable` */
#define LONGSHORE_REFUSED 4     /* an argument or the moment is wrong; the agent's log says how */

/* A call's outcome: gRPC's status codes by number (0 OK, 1 CANCELLED, ..., 16 UNAUTHENTICATED). */
typedef int32_t longshore_status_code;

/* Some bytes or UTF-8 text, not terminated. `data` may be null when `size` is 0. Frozen: this pair
 * is passed by value and never grows. */
typedef struct longshore_bytes {
  const void* data;
  uint64_t size;
} longshore_bytes;

/* A call that the module has to answer. 0 names no call. */
typedef uint64_t longshore_call;

/* A call that the module made. 0 names no invocation. */
typedef uint64_t longshore_invocation;

/* A timer that the module has set. 0 names no timer. */
typedef uint64_t longshore_timer;

/* Of a time in nanoseconds: there is no deadline. */
#define LONGSHORE_NO_DEADLINE INT64_MAX

/* Severity of a log line. */
typedef int32_t longshore_log_level;
#define LONGSHORE_LOG_DEBUG 1
#define LONGSHORE_LOG_INFO 2
#define LONGSHORE_LOG_WARNING 3
#define LONGSHORE_LOG_ERROR 4

/* What the agent knows of a call. The module sets `struct_size`; the agent fills what fits.
 * The texts are valid until the call is finished. */
typedef struct longshore_call_info {
  uint32_t struct_size;
  uint32_t reserved;
  /* Nanoseconds until the deadline, at least 0; LONGSHORE_NO_DEADLINE when there is none. */
  int64_t remaining_ns;
  /* Names the call in logs, and every call that it leads to. */
  longshore_bytes request_id;
  /* Who calls: "uid:0", "sid:S-1-5-18", "module:volume", "embedder" or "agent". */
  longshore_bytes caller;
  /* Who the first call of the chain came from, in the same form; equal to `caller` if direct. */
  longshore_bytes on_behalf_of;
} longshore_call_info;

/* How a module calls. The module sets `struct_size` and keeps the struct until `invoke` returns. */
typedef struct longshore_invoke_request {
  uint32_t struct_size;
  /* How many messages may be delivered before the first `grant`. Unary methods need 1. */
  uint32_t credit;
  /* The call that is being answered, or 0: a call of the instance's own, which may begin in `start`
   * and ends in `stop` at the latest. The new call inherits its parent's deadline (the earlier of
   * the two counts), its cancellation and its request id. */
  longshore_call parent;
  /* Nanoseconds until the deadline; 0 takes the method's own time limit. LONGSHORE_NO_DEADLINE
   * asks for none, which only methods annotated long_running grant; others keep their own. */
  int64_t timeout_ns;
  /* "v1.Disk/ListDiskIDs": of another module, or of a service that the agent offers. */
  longshore_bytes method;
  longshore_bytes request;
  /* Passed to the two functions below. */
  void* user;
  /* [completion] A message of the answer; never called concurrently for one invocation. Null when
   * the caller wants none. */
  void (*on_message)(void* user, longshore_invocation invocation, longshore_bytes message);
  /* [completion] The outcome; called exactly once if `invoke` answered OK, and last. It may come
   * before `invoke` returns. `text` says what went wrong. */
  void (*on_finish)(void* user, longshore_invocation invocation, longshore_status_code code,
                    longshore_bytes text);
} longshore_invoke_request;

/* What the agent offers to one instance. Constant, and valid until `destroy` returns. Every
 * function takes this very pointer as its first argument. */
typedef struct longshore_host {
  uint32_t struct_size;
  uint16_t abi_major;
  uint16_t abi_minor;
  /* The agent's own; the module leaves it alone. */
  void* context;

  /* [any] Describes an unfinished call. OK or STALE. */
  longshore_result (*call_info)(const struct longshore_host* host, longshore_call call,
                                longshore_call_info* info);

  /* [any] OK while somebody waits for the answer, CANCELLED once nobody does, or STALE. */
  longshore_result (*call_state)(const struct longshore_host* host, longshore_call call);

  /* [any] Sends a message of the answer; the bytes are copied. One for a unary method, any number
   * for a stream. WOULD_BLOCK: not taken, `writable` will follow. CANCELLED: nobody listens, go on
   * to `finish`. REFUSED: the message is over the agent's size limit, or a second one of a unary
   * method; the call is answered with an error. */
  longshore_result (*send)(const struct longshore_host* host, longshore_call call,
                           longshore_bytes message);

  /* [any] Ends the call: exactly once for each, whether or not it was cancelled; `text` says what
   * went wrong. OK or STALE. Afterwards the handle and the request's bytes are gone. */
  longshore_result (*finish)(const struct longshore_host* host, longshore_call call,
                             longshore_status_code code, longshore_bytes text);

  /* [any] Calls a method. OK: `*invocation` is set before any completion runs and `on_finish` will
   * come. Otherwise neither completion is ever called: REFUSED if the arguments are wrong or the
   * instance is stopped, STALE if `parent` is. A target that does not exist or may not be called
   * is an outcome (UNIMPLEMENTED, PERMISSION_DENIED), not an answer. */
  longshore_result (*invoke)(const struct longshore_host* host,
                             const longshore_invoke_request* request,
                             longshore_invocation* invocation);

  /* [any] Asks to end an invocation early. `on_finish` still comes, usually with CANCELLED. */
  longshore_result (*cancel)(const struct longshore_host* host, longshore_invocation invocation);

  /* [any] Allows `messages` more messages of an invocation. */
  longshore_result (*grant)(const struct longshore_host* host, longshore_invocation invocation,
                            uint32_t messages);

  /* [any] Runs `function` once on the instance's pool, `delay_ns` from now or later. It gets OK,
   * or CANCELLED when the instance is being stopped and there will be no later. */
  longshore_result (*post)(const struct longshore_host* host, int64_t delay_ns,
                           void (*function)(void* user, longshore_result answer), void* user);

  /* [any] Writes a log line. `call`, or 0, adds that call's method, request id and object. Lines
   * are limited in rate per instance; what is dropped is counted and said. No secrets. */
  void (*log)(const struct longshore_host* host, longshore_log_level level, longshore_call call,
              longshore_bytes text);

  /* ---- Since 0.2 ---- */

  /* [any] As `post`, and `*timer` names it until it has run. OK, or REFUSED as `post`. The handle
   * is set before the function can run. */
  longshore_result (*set_timer)(const struct longshore_host* host, int64_t delay_ns,
                                void (*function)(void* user, longshore_result answer), void* user,
                                longshore_timer* timer);

  /* [any] OK: the timer's function will not be called. STALE: it was called, is being called, or
   * there was no such timer. */
  longshore_result (*cancel_timer)(const struct longshore_host* host, longshore_timer timer);

  /* [any] Says that the instance serves, but badly, and why: a sentence for people, which `status`,
   * /readyz?verbose and the metrics show. Empty: it is well again. OK, or REFUSED after `stop`. */
  longshore_result (*set_degraded)(const struct longshore_host* host, longshore_bytes reason);

  /* [any] Names what the call would hang on should it hang: the mount, disk or server behind its
   * object. Called while the call runs, before the module touches it, and made from what the module
   * knows without touching it, in 512 bytes at most. OK: go on. REFUSED: as many calls for this key
   * run or are stuck as may be; finish with UNAVAILABLE and touch nothing. If it is only that they
   * run, the caller is told nothing, and the request is invoked anew, as another call, once there
   * is room. STALE: there is no such call. Without it the key is the method's object_field. */
  longshore_result (*set_bulkhead)(const struct longshore_host* host, longshore_call call,
                                   longshore_bytes key);
} longshore_host;

/* The functions of an instance. A constant of the module's. `start`, `invoke`, `stop` and
 * `destroy` are required, the others may be null. `self` is what `create` set. */
typedef struct longshore_instance {
  uint32_t struct_size;
  uint32_t reserved;

  /* [control] Brings the instance to life. `settings` is a longshore.module.v1.Settings message,
   * complete and checked against the options of the description. `handover` is what the instance
   * before this one left in `stop`, or empty. Both are valid until `call` is finished; it must be
   * finished, inline or later. An error keeps the instance from serving. */
  void (*start)(void* self, longshore_call call, longshore_bytes settings,
                longshore_bytes handover);

  /* [pool] A call. `method` and `request` are valid until it is finished. It may be finished
   * inline or later, on any thread. */
  void (*invoke)(void* self, longshore_call call, longshore_bytes method, longshore_bytes request);

  /* [completion] Optional. Nobody waits for `call` any more. May race with its `finish`. */
  void (*cancel)(void* self, longshore_call call);

  /* [completion] Optional. `call`, whose `send` answered WOULD_BLOCK, may send again. */
  void (*writable)(void* self, longshore_call call);

  /* [control] Ends the work. `call` carries the deadline; a message sent on it is the handover for
   * the next instance, of the same or another version of the module. New calls no longer come;
   * those that run should end soon. */
  void (*stop)(void* self, longshore_call call);

  /* [control] Frees `self`. Comes after every call has been finished, every completion delivered
   * and every function returned, whether or not `start` succeeded. */
  void (*destroy)(void* self);
} longshore_instance;

/* The one export of a module: `const longshore_module_entry longshore_module`. */
typedef struct longshore_module_entry {
  uint64_t magic; /* LONGSHORE_MODULE_MAGIC */
  uint32_t struct_size;
  uint16_t abi_major;        /* must equal the agent's */
  uint16_t abi_minor_needed; /* must not be over the agent's */
  const char* name;          /* "longshore-disk": the file's name without prefix and suffix */
  const char* version;       /* the module's own, "1.4.2" */
  const char* vendor;        /* "Acme Storage Inc." */
  /* A longshore.module.v1.Description message: services, descriptors, options. */
  const void* description;
  uint64_t description_size;

  /* [control] Makes an instance: sets `*self` and `*functions` and answers OK. Anything else means
   * that there is none and nothing to destroy. May call only `log` of `host`. */
  longshore_result (*create)(const longshore_host* host, void** self,
                             const longshore_instance** functions);
} longshore_module_entry;

#if defined(_WIN32)
#define LONGSHORE_EXPORT __declspec(dllexport)
#else
#define LONGSHORE_EXPORT __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
}
#endif

#endif /* LONGSHORE_ABI_H_ */
