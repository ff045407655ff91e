/* Asks an agent in this very process whether a path exists.
 *
 *   path_exists CONFIG.toml PATH
 *
 * cc path_exists.c $(pkg-config --cflags --libs longshore) -o path_exists */
#include <longshore/agent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The protobuf message PathExistsRequest: field 1, a string. Larger messages are better left to a
 * protobuf library. The caller frees it. */
static unsigned char* encode_request(const char* path, size_t* size) {
  const size_t length = strlen(path);
  unsigned char* bytes = malloc(length + 11);
  size_t used = 0;
  if (!bytes) return NULL;
  bytes[used++] = 1 << 3 | 2; /* field 1, with a length */
  for (size_t rest = length; used == 1 || rest > 0; rest >>= 7) {
    bytes[used++] = (unsigned char)((rest & 127) | (rest > 127 ? 128 : 0));
  }
  for (size_t i = 0; i < length; ++i) bytes[used++] = (unsigned char)path[i];
  *size = used;
  return bytes;
}

/* PathExistsResponse: field 1, a bool, which is left out when it is false. */
static int decode_response(const unsigned char* bytes, size_t size) {
  return size == 2 && bytes[0] == 1 << 3 && bytes[1] == 1;
}

static int fail(const char* what, longshore_reply* reply) {
  fprintf(stderr, "%s: status %d: %s\n", what, (int)longshore_reply_code(reply),
          longshore_reply_text(reply));
  longshore_reply_free(reply);
  return 1;
}

static int ask(longshore_agent* agent, const char* path) {
  longshore_call_options options = {.struct_size = sizeof(options), .timeout_ns = 5000000000};
  longshore_reply* reply = NULL;
  size_t size = 0;
  unsigned char* request = encode_request(path, &size);
  int32_t status = 0;
  if (!request) return 1;
  status = longshore_agent_call(agent, "v1.Filesystem/PathExists", request, size, &options, &reply);
  free(request);
  if (status != 0) return fail("PathExists", reply);
  printf("%s %s\n", path,
         decode_response(longshore_reply_data(reply), longshore_reply_size(reply))
             ? "exists"
             : "does not exist");
  longshore_reply_free(reply);
  return 0;
}

int main(int argc, char** argv) {
  longshore_agent_options options = {.struct_size = sizeof(options)};
  longshore_agent* agent = NULL;
  longshore_reply* reply = NULL;
  int result = 0;
  if (argc != 3) {
    fprintf(stderr, "usage: %s CONFIG.toml PATH\n", argv[0]);
    return 2;
  }
  options.toml_file = argv[1];
  if (longshore_agent_create(&options, &agent, &reply) != 0) return fail(argv[1], reply);
  longshore_reply_free(reply);
  result = ask(agent, argv[2]);
  longshore_agent_destroy(agent, NULL);
  return result;
}
