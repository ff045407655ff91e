// What the bytes of a message say, in JSON for people: by the descriptors that modules carry, since
// the agent has no code of their messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace longshore::router {

struct MessageSchema;

struct FieldSchema {
  std::string name;
  int type = 0;  // google.protobuf.FieldDescriptorProto.Type
  bool repeated = false;
  bool secret = false;
  const MessageSchema* message = nullptr;  // of a field that is a message; null: unknown
};

struct MessageSchema {
  std::map<uint32_t, FieldSchema> fields;  // by number
};

// By full name, as descriptors write it: ".v1.PathExistsRequest".
using MessageSchemas = std::map<std::string, MessageSchema, std::less<>>;

// Whether the message, or one that it may hold, has a field that is marked secret.
bool has_secrets(const MessageSchema& schema);

struct RedactedJson {
  std::string json;
  bool is_whole = true;  // no more is known of it
};

// The message in protobuf's JSON, with the fields' own names: {"path":"/x","size":"12"}. What is
// marked secret is left out, and so is all that the schema does not know, since it may be secret;
// of bytes only the size is told. It is not whole when it is longer than `max_bytes`, then there is
// something of every field as far as that goes; when it nests too deeply; or when the bytes are no
// message, which is told as far as it could be read.
RedactedJson json_without_secrets(const MessageSchema& schema, std::string_view bytes,
                                  size_t max_bytes);

}  // namespace longshore::router
