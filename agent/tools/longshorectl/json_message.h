// Messages as JSON and back, by protobuf's own mapping.
#pragma once

#include <google/protobuf/message.h>

#include <string>

#include "longshore/result.hpp"

namespace longshore::ctl {

enum class JsonForm { kOneLine, kIndented };

// Field names are those of the .proto file; fields that have their default are there too.
Result<std::string> to_json(const google::protobuf::Message& message, JsonForm form);

// Unknown fields are errors. An empty text is an empty message.
Result<void> from_json(const std::string& json, google::protobuf::Message& message);

// The full name of a field that is annotated as secret and set, anywhere in the message; or empty.
std::string secret_in(const google::protobuf::Message& message);

}  // namespace longshore::ctl
