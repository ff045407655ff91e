// What the router knows of a method: its description, and what the configuration says of it.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "observe/call_metrics.h"
#include "router/field_type.h"

namespace longshore::router {

struct CallerSet;
struct MessageSchema;

struct Method {
  std::string full_name;  // "v1.Filesystem/PathExists"
  std::string service;    // "v1.Filesystem"
  std::string name;       // "PathExists"
  bool reads_only = false;
  bool idempotent = false;
  bool non_blocking = false;
  bool long_running = false;  // has no deadline of its own, and ends when its target drains
  bool server_streaming = false;
  // The number of the request's field that names the object; 0 when there is none.
  uint32_t object_field = 0;
  int object_type = kString;  // or one of integers

  // Of the request, for the audit log. Null: the method is in no description, as start and stop.
  std::shared_ptr<const MessageSchema> request_schema;
  // Whether it may carry what is marked secret: its bytes are wiped when nobody needs them.
  bool request_has_secrets = false;

  bool for_modules_only = false;  // a host service's: who else calls it is told that there is none
  // A host service's: no module may call it, whatever its may_call says.
  bool for_endpoints_only = false;

  // From the configuration.
  bool denied = false;
  std::optional<std::chrono::nanoseconds> timeout;
  std::shared_ptr<const CallerSet> callers;  // who may call it; null: whoever reaches it

  // Counts its calls from outside; null where none are counted.
  std::shared_ptr<observe::MethodMetrics> metrics;
  // The name of the module that serves it; empty for what the agent itself serves.
  std::string module;
};

// The object that a serialised request of `method` names, as text; empty when it names none. It is
// what the module's parser finds: the last value that has the field's type.
std::string object_of(std::string_view request, const Method& method);

// The same without a copy: where it stands in the request, or in `digits` when it is a number.
std::string_view find_object(std::string_view request, const Method& method, Digits& digits);

}  // namespace longshore::router
