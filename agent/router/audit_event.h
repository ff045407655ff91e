// A line of the audit log before it is sealed: when, what happened, and the members of that event.
// Threads: any.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "observe/json_text.h"
#include "observe/log_line.h"

namespace longshore::router {

// `members` adds to the JSON object that it is given.
template <typename Members>
std::string audit_event(std::string_view name, const Members& members) {
  observe::JsonText json;
  json.object([&] {
    json.member("time", observe::timestamp(std::chrono::system_clock::now()));
    json.member("event", name);
    members(json);
  });
  return json.take();
}

}  // namespace longshore::router
