/* A module in plain C11, without any protobuf library: greets whoever is named. Its messages have
 * one text each, which is little enough to read and write by hand. */
#include <stdlib.h>
#include <string.h>

#include "longshore/abi.h"
#include "module_description.h"

enum { kOk = 0, kInvalidArgument = 3, kResourceExhausted = 8, kUnimplemented = 12 };

/* An instance. It keeps nothing but the host, so any thread may use it at any time. */
struct greeter {
  const longshore_host* host;
};

static longshore_bytes bytes_of(const char* text) { return (longshore_bytes){text, strlen(text)}; }

static void finish(const struct greeter* self, longshore_call call, int32_t code,
                   const char* text) {
  self->host->finish(self->host, call, code, bytes_of(text));
}

/* Takes a number from the front of the bytes; 0 when there is none. */
static int take_number(longshore_bytes* bytes, uint64_t* number) {
  const unsigned char* at = bytes->data;
  *number = 0;
  for (unsigned i = 0; i < 10 && i < bytes->size; ++i) {
    *number |= (uint64_t)(at[i] & 127) << (7 * i);
    if (at[i] > 127) continue;
    bytes->data = at + i + 1;
    bytes->size -= i + 1;
    return 1;
  }
  return 0;
}

/* Reads a message whose field 1 is a text. Others are skipped: a newer client may send them. */
static int read_message(longshore_bytes message, longshore_bytes* text) {
  while (message.size > 0) {
    uint64_t tag = 0;
    uint64_t size = 0;
    if (!take_number(&message, &tag) || tag >> 3 == 0) return 0;
    const unsigned kind = tag & 7; /* 0: a number, 1 and 5: 8 and 4 bytes, 2: bytes with a size */
    if (kind != 5 && kind > 2) return 0;
    if ((kind == 0 || kind == 2) && !take_number(&message, &size)) return 0;
    if (kind != 2) size = kind == 1 ? 8 : kind == 5 ? 4 : 0;
    if (size > message.size) return 0;
    if (tag == (1 << 3 | 2)) *text = (longshore_bytes){message.data, size};
    message.data = (const unsigned char*)message.data + size;
    message.size -= size;
  }
  return 1;
}

/* Answers with a message whose field 1 is "Hello, " and the name. */
static void greet(const struct greeter* self, longshore_call call, longshore_bytes name) {
  const longshore_bytes hello = bytes_of("Hello, ");
  unsigned char* answer = malloc(name.size + 32);
  size_t used = 0;
  if (!answer) {
    finish(self, call, kResourceExhausted, "there is no memory");
    return;
  }
  answer[used++] = 1 << 3 | 2;
  for (uint64_t rest = hello.size + name.size; used == 1 || rest > 0; rest >>= 7) {
    answer[used++] = (unsigned char)((rest & 127) | (rest > 127 ? 128 : 0));
  }
  memcpy(answer + used, hello.data, hello.size);
  used += hello.size;
  if (name.size > 0) memcpy(answer + used, name.data, name.size);
  self->host->send(self->host, call, (longshore_bytes){answer, used + name.size});
  free(answer);
  finish(self, call, kOk, "");
}

static void start(void* self, longshore_call call, longshore_bytes settings,
                  longshore_bytes handover) {
  (void)settings, (void)handover; /* it has no options, and nothing to hand over */
  finish(self, call, kOk, "");
}

static void invoke(void* self, longshore_call call, longshore_bytes method,
                   longshore_bytes request) {
  static const char greet_method[] = "acme.greeter.v1.Greeter/Greet";
  longshore_bytes name = {NULL, 0};
  if (method.size != strlen(greet_method) || memcmp(method.data, greet_method, method.size) != 0) {
    finish(self, call, kUnimplemented, "there is no such method");
  } else if (!read_message(request, &name)) {
    finish(self, call, kInvalidArgument, "the request is not a valid message");
  } else {
    greet(self, call, name);
  }
}

static void stop(void* self, longshore_call call) { finish(self, call, kOk, ""); }

static longshore_result create(const longshore_host* host, void** self,
                               const longshore_instance** functions) {
  static const longshore_instance table = {sizeof(table), 0, start, invoke, NULL, NULL, stop, free};
  struct greeter* greeter = malloc(sizeof(*greeter));
  if (!greeter) return LONGSHORE_REFUSED;
  greeter->host = host;
  *self = greeter;
  *functions = &table;
  return LONGSHORE_OK;
}

LONGSHORE_EXPORT const longshore_module_entry longshore_module = {
    LONGSHORE_MODULE_MAGIC,
    sizeof(longshore_module_entry),
    LONGSHORE_ABI_MAJOR,
    LONGSHORE_ABI_MINOR,
    "longshore-greeter",
    "1.0.0",
    "Acme Inc.",
    longshore_module_description,
    sizeof(longshore_module_description),
    create};
