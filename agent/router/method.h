// What the router knows of a method: its description, and what the configuration says of it.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace longshore::router {

struct Method {
  std::string full_name;  // "v1.Filesystem/PathExists"
  std::string service;    // "v1.Filesystem"
  std::string name;       // "PathExists"
  bool reads_only = false;
  bool idempotent = false;
  bool non_blocking = false;
  bool client_streaming = false;
  bool server_streaming = false;
  // The number of the request's field that names the object; 0 when there is none.
  uint32_t object_field = 0;
  // Its name, for logs.
  std::string object_field_name;

  // From the configuration.
  bool denied = false;
  std::optional<std::chrono::nanoseconds> timeout;
};

// The value of the field numbered `field` of a serialised message, as text, when it is a string or
// an integer; empty otherwise. The last one counts, as protobuf has it.
std::string object_of(std::string_view request, uint32_t field);

}  // namespace longshore::router
