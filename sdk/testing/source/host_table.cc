// The functions that the module calls: arguments are checked here, the rest is the session's.
#include <algorithm>
#include <cstring>

#include "session.h"

namespace longshore::testing {
namespace {

Session& session_of(const longshore_host* host) { return *static_cast<Session*>(host->context); }

// Whether bytes that were passed can be read; if not, that is a violation.
bool readable(Session& session, longshore_bytes bytes, const char* function) {
  if (bytes.data || bytes.size == 0) return true;
  session.violated(std::string(function) + " was given bytes at no address");
  return false;
}

longshore_result call_info(const longshore_host* host, longshore_call call,
                           longshore_call_info* info) noexcept {
  Session& session = session_of(host);
  if (!session.admits("call_info")) return LONGSHORE_STALE;
  if (!info || info->struct_size == 0) {
    session.violated("call_info was given no struct, or one without its size");
    return LONGSHORE_REFUSED;
  }
  longshore_call_info full{};
  const longshore_result answer = session.call_info(call, full);
  if (answer != LONGSHORE_OK) return answer;
  full.struct_size = info->struct_size;
  std::memcpy(info, &full, std::min<size_t>(info->struct_size, sizeof(full)));
  return LONGSHORE_OK;
}

longshore_result call_state(const longshore_host* host, longshore_call call) noexcept {
  Session& session = session_of(host);
  return session.admits("call_state") ? session.call_state(call) : LONGSHORE_STALE;
}

longshore_result send(const longshore_host* host, longshore_call call,
                      longshore_bytes message) noexcept {
  Session& session = session_of(host);
  if (!session.admits("send")) return LONGSHORE_STALE;
  if (!readable(session, message, "send")) return LONGSHORE_REFUSED;
  return session.send(call, to_view(message));
}

longshore_result finish(const longshore_host* host, longshore_call call, longshore_status_code code,
                        longshore_bytes text) noexcept {
  Session& session = session_of(host);
  if (!session.admits("finish")) return LONGSHORE_STALE;
  const bool has_text = readable(session, text, "finish");
  return session.finish(call, code, has_text ? to_view(text) : std::string_view());
}

longshore_result invoke(const longshore_host* host, const longshore_invoke_request* request,
                        longshore_invocation* invocation) noexcept {
  Session& session = session_of(host);
  if (!session.admits("invoke")) return LONGSHORE_REFUSED;
  longshore_invoke_request full{};
  if (request) {
    std::memcpy(&full, request, std::min<size_t>(request->struct_size, sizeof(full)));
  }
  if (!invocation || !full.on_finish || full.method.size == 0) {
    session.violated("invoke was given no method, no on_finish or no place for the handle");
    return LONGSHORE_REFUSED;
  }
  if (!readable(session, full.method, "invoke") || !readable(session, full.request, "invoke")) {
    return LONGSHORE_REFUSED;
  }
  return session.invoke(full, invocation);
}

longshore_result cancel(const longshore_host* host, longshore_invocation invocation) noexcept {
  Session& session = session_of(host);
  return session.admits("cancel") ? session.cancel_invocation(invocation) : LONGSHORE_STALE;
}

longshore_result grant(const longshore_host* host, longshore_invocation invocation,
                       uint32_t messages) noexcept {
  Session& session = session_of(host);
  return session.admits("grant") ? session.grant(invocation, messages) : LONGSHORE_STALE;
}

longshore_result post(const longshore_host* host, int64_t delay_ns,
                      void (*function)(void* user, longshore_result answer), void* user) noexcept {
  Session& session = session_of(host);
  if (!session.admits("post")) return LONGSHORE_REFUSED;
  if (!function || delay_ns < 0) {
    session.violated("post was given no function or a time in the past");
    return LONGSHORE_REFUSED;
  }
  return session.post(Nanoseconds(delay_ns), function, user, nullptr);
}

longshore_result set_timer(const longshore_host* host, int64_t delay_ns,
                           void (*function)(void* user, longshore_result answer), void* user,
                           longshore_timer* timer) noexcept {
  Session& session = session_of(host);
  if (!session.admits("set_timer")) return LONGSHORE_REFUSED;
  if (!function || !timer || delay_ns < 0) {
    session.violated("set_timer was given no function, no place for the handle or a time past");
    return LONGSHORE_REFUSED;
  }
  return session.post(Nanoseconds(delay_ns), function, user, timer);
}

longshore_result cancel_timer(const longshore_host* host, longshore_timer timer) noexcept {
  Session& session = session_of(host);
  return session.admits("cancel_timer") ? session.cancel_timer(timer) : LONGSHORE_STALE;
}

longshore_result set_degraded(const longshore_host* host, longshore_bytes reason) noexcept {
  Session& session = session_of(host);
  if (!session.admits("set_degraded") || !readable(session, reason, "set_degraded")) {
    return LONGSHORE_REFUSED;
  }
  return session.set_degraded(to_view(reason));
}

longshore_result set_bulkhead(const longshore_host* host, longshore_call call,
                              longshore_bytes key) noexcept {
  Session& session = session_of(host);
  if (!session.admits("set_bulkhead") || !readable(session, key, "set_bulkhead")) {
    return LONGSHORE_REFUSED;
  }
  return session.set_bulkhead(call, to_view(key));
}

void log(const longshore_host* host, longshore_log_level level, longshore_call call,
         longshore_bytes text) noexcept {
  Session& session = session_of(host);
  if (session.admits("log") && readable(session, text, "log")) {
    session.write_log(level, call, to_view(text));
  }
}

}  // namespace

longshore_host make_host_table(Session& session) {
  return {sizeof(longshore_host),
          LONGSHORE_ABI_MAJOR,
          LONGSHORE_ABI_MINOR,
          &session,
          &call_info,
          &call_state,
          &send,
          &finish,
          &invoke,
          &cancel,
          &grant,
          &post,
          &log,
          &set_timer,
          &cancel_timer,
          &set_degraded,
          &set_bulkhead};
}

}  // namespace longshore::testing
