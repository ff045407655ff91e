#include "router/audit_line.h"

#include <charconv>

#include "observe/json_text.h"
#include "router/audit_event.h"
#include "router/audit_log.h"
#include "router/message_schema.h"

namespace longshore::router {
namespace {

constexpr size_t kMaxTextBytes = 1024;  // of an object, and of an error's text

using observe::JsonText;

// Unless there is no text.
void tell(JsonText& json, std::string_view key, std::string_view text) {
  if (!text.empty()) json.member(key, text.substr(0, kMaxTextBytes));
}

// To the microsecond.
double milliseconds(Clock::duration took) {
  return static_cast<double>(std::chrono::duration_cast<std::chrono::microseconds>(took).count()) /
         1000;
}

// By it both lines of a call are found: nested calls have one request id.
void tell_call(JsonText& json, uint64_t handle, std::string_view request_id) {
  char digits[16];
  if (handle != 0) {
    const char* const end = std::to_chars(digits, digits + sizeof(digits), handle, 16).ptr;
    json.member("call", std::string_view(digits, static_cast<size_t>(end - digits)));
  }
  tell(json, "request_id", request_id);
}

void tell_caller(JsonText& json, const Caller& caller) {
  tell(json, "caller", caller.identity);
  tell(json, "on_behalf_of", caller.on_behalf_of);
  if (caller.process != 0) json.raw("process", std::to_string(caller.process));
  tell(json, "program", caller.program);
}

void tell_method(JsonText& json, const Method& method, std::string_view request) {
  tell(json, "module", method.module.empty() ? "agent" : method.module);
  tell(json, "method", method.full_name);
  tell(json, "object", object_of(request, method));
}

void tell_request(JsonText& json, const Method& method, std::string_view request) {
  const RedactedJson told =
      json_without_secrets(*method.request_schema, request, AuditLog::kMaxRequestBytes);
  json.raw("request", told.json);
  if (told.is_whole) return;
  json.flag("request_cut", true);
  json.member("request_bytes", uint64_t{request.size()});
}

void tell_outcome(JsonText& json, const RecentCalls::Answered& answered) {
  tell(json, "code", status_code_name(answered.code));
  tell(json, "message", answered.text);
  tell(json, "warning", answered.warning);
  json.decimal("duration_ms", milliseconds(answered.took), 3);
}

}  // namespace

bool was_refused_by_permissions(const RecentCalls::Answered& answered) {
  return answered.handle == 0 && answered.code == StatusCode::kPermissionDenied;
}

std::string audit_line_of_begin(const Call& call) {
  return audit_event("begin", [&](JsonText& json) {
    tell_call(json, call.handle(), call.request_id());
    tell_caller(json, call.caller());
    tell_method(json, call.method(), call.request());
    tell_request(json, call.method(), call.request());
  });
}

std::string audit_line_of_end(const RecentCalls::Answered& answered, bool unfinished) {
  return audit_event("end", [&](JsonText& json) {
    tell_call(json, answered.handle, answered.request_id);
    tell_method(json, *answered.method, answered.request);
    tell_outcome(json, answered);
    if (unfinished) json.flag("unfinished", true);
  });
}

std::string audit_line_of_refusal(const RecentCalls::Answered& answered, uint64_t suppressed) {
  return audit_event("refused", [&](JsonText& json) {
    tell_call(json, 0, answered.request_id);
    tell_caller(json, *answered.caller);
    tell_method(json, *answered.method, answered.request);
    if (!answered.request.empty() && !was_refused_by_permissions(answered)) {
      tell_request(json, *answered.method, answered.request);
    }
    tell_outcome(json, answered);
    if (suppressed > 0) json.member("suppressed", suppressed);
  });
}

std::string audit_line_of_suppressed(std::string_view caller, uint64_t count) {
  return audit_event("suppressed", [&](JsonText& json) {
    tell(json, "caller", caller);
    json.member("suppressed", count);
  });
}

std::string audit_line_of_lost(uint64_t lines, uint64_t refused_calls) {
  return audit_event("lost", [&](JsonText& json) {
    json.member("lines", lines);
    if (refused_calls > 0) json.member("refused_calls", refused_calls);
  });
}

}  // namespace longshore::router
