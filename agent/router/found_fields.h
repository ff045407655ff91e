// What the bytes of a message have of the fields that a schema knows, before anybody writes it
// down.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string_view>
#include <vector>

#include "router/message_schema.h"

namespace longshore::router {

struct FoundField;

// By number. Only fields that may be told: neither secret ones nor those of unknown types.
using FoundFields = std::map<uint32_t, FoundField>;

struct FoundField {
  struct Value {
    uint64_t number = 0;
    std::string_view bytes;  // of strings, bytes and repeated messages; part of the message
  };

  std::vector<Value> values;            // in their order; of a single field the last one
  std::unique_ptr<FoundFields> merged;  // of a single message, which may come in pieces
};

// Reads as protobuf's parsers do, so that nothing is told that the module does not get: a value
// that is written in another way than its field is no value of it.
// False when there is more than was found: the bytes are broken from somewhere on, a field has more
// than `max_values`, or messages nest too deeply below `depth`.
bool find_fields(const MessageSchema& schema, std::string_view bytes, size_t max_values, int depth,
                 FoundFields& found);

}  // namespace longshore::router
