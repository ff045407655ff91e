// What a watch brings: a line of JSON for each change of an object.
//
// Threads: any; values.
#pragma once

#include <string_view>
#include <variant>

#include "kube/object.h"
#include "kube/request.h"
#include "longshore/result.hpp"

namespace longshore::kube {

struct WatchEvent {
  enum class Type {
    kChanged,   // made, or changed
    kDeleted,   // with its last state
    kBookmark,  // nothing changed up to this version: the object has nothing else
  };
  Type type = Type::kChanged;
  Object object;
};

// A Response in place of an event: the server's ERROR, as if it had answered with it.
Result<std::variant<WatchEvent, Response>> parse_watch_event(std::string_view line);

}  // namespace longshore::kube
