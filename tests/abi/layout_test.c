/* The size of every struct of the ABI and the place of every field, as the compiler sees them.
 *
 *   layout_test                 prints them
 *   layout_test layout.golden   compares them with the file, and prints the differences
 *
 * The file is one for all systems: the ABI has only types of a fixed size and pointers of 64 bits.
 */
#include <longshore/abi.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct field {
  const char* name;
  size_t offset;
  size_t size;
  size_t alignment;
};

struct type {
  const char* name;
  size_t size;
  size_t alignment;
  const struct field* fields;
  size_t field_count;
};

#define FIELD(type, name)                                        \
  {                                                              \
#name, offsetof(type, name), sizeof(((const type*)0)->name), \
        _Alignof(__typeof__(((const type*)0)->name))             \
  }
#define TYPE(name)                                      \
  {                                                     \
#name, sizeof(name), _Alignof(name), name##_fields, \
        sizeof(name##_fields) / sizeof(struct field)    \
  }
#define SCALAR(name) \
  { #name, sizeof(name), _Alignof(name), NULL, 0 }

static const struct field longshore_bytes_fields[] = {
    FIELD(longshore_bytes, data),
    FIELD(longshore_bytes, size),
};

static const struct field longshore_call_info_fields[] = {
    FIELD(longshore_call_info, struct_size),  FIELD(longshore_call_info, reserved),
    FIELD(longshore_call_info, remaining_ns), FIELD(longshore_call_info, request_id),
    FIELD(longshore_call_info, caller),       FIELD(longshore_call_info, on_behalf_of),
};

static const struct field longshore_invoke_request_fields[] = {
    FIELD(longshore_invoke_request, struct_size), FIELD(longshore_invoke_request, credit),
    FIELD(longshore_invoke_request, parent),      FIELD(longshore_invoke_request, timeout_ns),
    FIELD(longshore_invoke_request, method),      FIELD(longshore_invoke_request, request),
    FIELD(longshore_invoke_request, user),        FIELD(longshore_invoke_request, on_message),
    FIELD(longshore_invoke_request, on_finish),
};

static const struct field longshore_host_fields[] = {
    FIELD(longshore_host, struct_size),  FIELD(longshore_host, abi_major),
    FIELD(longshore_host, abi_minor),    FIELD(longshore_host, context),
    FIELD(longshore_host, call_info),    FIELD(longshore_host, call_state),
    FIELD(longshore_host, send),         FIELD(longshore_host, finish),
    FIELD(longshore_host, invoke),       FIELD(longshore_host, cancel),
    FIELD(longshore_host, grant),        FIELD(longshore_host, post),
    FIELD(longshore_host, log),          FIELD(longshore_host, set_timer),
    FIELD(longshore_host, cancel_timer), FIELD(longshore_host, set_degraded),
    FIELD(longshore_host, set_bulkhead),
};

static const struct field longshore_instance_fields[] = {
    FIELD(longshore_instance, struct_size), FIELD(longshore_instance, reserved),
    FIELD(longshore_instance, start),       FIELD(longshore_instance, invoke),
    FIELD(longshore_instance, cancel),      FIELD(longshore_instance, writable),
    FIELD(longshore_instance, stop),        FIELD(longshore_instance, destroy),
};

static const struct field longshore_module_entry_fields[] = {
    FIELD(longshore_module_entry, magic),
    FIELD(longshore_module_entry, struct_size),
    FIELD(longshore_module_entry, abi_major),
    FIELD(longshore_module_entry, abi_minor_needed),
    FIELD(longshore_module_entry, name),
    FIELD(longshore_module_entry, version),
    FIELD(longshore_module_entry, vendor),
    FIELD(longshore_module_entry, description),
    FIELD(longshore_module_entry, description_size),
    FIELD(longshore_module_entry, create),
};

static const struct type types[] = {
    SCALAR(longshore_result),     SCALAR(longshore_status_code), SCALAR(longshore_call),
    SCALAR(longshore_invocation), SCALAR(longshore_timer),       SCALAR(longshore_log_level),
    TYPE(longshore_bytes),        TYPE(longshore_call_info),     TYPE(longshore_invoke_request),
    TYPE(longshore_host),         TYPE(longshore_instance),      TYPE(longshore_module_entry),
};

static size_t aligned(size_t offset, size_t alignment) {
  return (offset + alignment - 1) / alignment * alignment;
}

/* A field that the tables above forget leaves a hole. */
static bool is_complete(const struct type* type) {
  size_t end = 0;
  for (size_t i = 0; i < type->field_count; ++i) {
    const struct field* field = &type->fields[i];
    if (aligned(end, field->alignment) != field->offset) {
      printf("%s has something between %zu and %s\n", type->name, end, field->name);
      return false;
    }
    end = field->offset + field->size;
  }
  if (type->field_count != 0 && aligned(end, type->alignment) != type->size) {
    printf("%s has something after %zu\n", type->name, end);
    return false;
  }
  return true;
}

/* Prints the line, or compares it with the next one of the golden file. */
static bool matches(FILE* golden, const char* line) {
  if (golden == NULL) {
    puts(line);
    return true;
  }
  char expected[128] = "";
  if (fgets(expected, sizeof expected, golden) == NULL) expected[0] = '\0';
  expected[strcspn(expected, "\r\n")] = '\0';
  if (strcmp(expected, line) == 0) return true;
  printf("is:       %s\nshall be: %s\n", line, expected);
  return false;
}

static bool check(FILE* golden) {
  bool good = true;
  char line[128];
  for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); ++i) {
    const struct type* type = &types[i];
    good = is_complete(type) && good;
    snprintf(line, sizeof line, "%s size %zu alignment %zu", type->name, type->size,
             type->alignment);
    good = matches(golden, line) && good;
    for (size_t j = 0; j < type->field_count; ++j) {
      const struct field* field = &type->fields[j];
      snprintf(line, sizeof line, "%s.%s offset %zu size %zu", type->name, field->name,
               field->offset, field->size);
      good = matches(golden, line) && good;
    }
  }
  if (golden != NULL && fgets(line, sizeof line, golden) != NULL) {
    printf("missing:  %s", line);
    good = false;
  }
  return good;
}

int main(int argc, char** argv) {
  if (argc == 1) return check(NULL) ? 0 : 1;
  FILE* golden = fopen(argv[1], "r");
  if (golden == NULL) {
    perror(argv[1]);
    return 1;
  }
  const bool good = check(golden);
  fclose(golden);
  puts(good ? "The layout is the golden one." : "The layout is another one.");
  return good ? 0 : 1;
}
