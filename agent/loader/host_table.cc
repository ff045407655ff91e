#include "loader/host_table.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <string_view>
#include <utility>

#include "loader/host_side.h"
#include "loader/sized_struct.h"
#include "longshore/context.hpp"

namespace longshore::loader {
namespace {

bool well_formed(longshore_bytes bytes) { return bytes.data || bytes.size == 0; }

int64_t nanoseconds_until(router::Clock::time_point deadline) {
  if (deadline == router::Clock::time_point::max()) return INT64_MAX;
  const auto left = deadline - router::Clock::now();
  return std::max<int64_t>(0, std::chrono::duration_cast<std::chrono::nanoseconds>(left).count());
}

}  // namespace

// The C functions. Each is a barrier: whatever the module passes ends as an answer. Only want of
// memory could throw here, and ends the process.
struct HostFunctions {
  static std::shared_ptr<HostSide> side_of(const longshore_host* host) {
    return static_cast<const HostTable*>(host->context)->side();
  }

  // The call, or null after the fault was told. `may_be_over`: the module cannot always know that
  // another thread of its has just finished it, so asking is no fault.
  static std::shared_ptr<router::Call> call_of(const std::shared_ptr<HostSide>& side,
                                               const char* function, longshore_call handle,
                                               bool may_be_over) {
    auto call = side ? side->own_call(handle) : nullptr;
    if (side && !call) side->used_stale(function, handle, may_be_over);
    return call;
  }

  static longshore_result refused(const std::shared_ptr<HostSide>& side, const char* function,
                                  const char* what) {
    if (side) side->violated(function, what);
    return LONGSHORE_REFUSED;
  }

  static longshore_result call_info(const longshore_host* host, longshore_call handle,
                                    longshore_call_info* info) noexcept {
    const auto side = side_of(host);
    const auto call = call_of(side, "call_info", handle, true);
    if (!call) return LONGSHORE_STALE;
    if (!info) return refused(side, "call_info", "there is nothing to write to");
    longshore_call_info full{};
    full.struct_size = sizeof(full);
    full.remaining_ns = nanoseconds_until(call->deadline());
    full.request_id = to_bytes(call->request_id());
    full.caller = to_bytes(call->caller().identity);
    full.on_behalf_of = to_bytes(call->caller().on_behalf_of);
    const uint32_t size = info->struct_size;
    std::memcpy(info, &full, common_bytes<longshore_call_info>(size));
    info->struct_size = size;
    return LONGSHORE_OK;
  }

  static longshore_result call_state(const longshore_host* host, longshore_call handle) noexcept {
    const auto call = call_of(side_of(host), "call_state", handle, true);
    return call ? call->state() : LONGSHORE_STALE;
  }

  static longshore_result send(const longshore_host* host, longshore_call handle,
                               longshore_bytes message) noexcept {
    const auto side = side_of(host);
    const auto call = call_of(side, "send", handle, false);
    if (!call) return LONGSHORE_STALE;
    if (!well_formed(message)) return refused(side, "send", "the message's bytes are null");
    const longshore_result answer = call->send(to_view(message));
    if (answer == LONGSHORE_REFUSED) {
      side->violated("send", "a second answer to a unary call, or one over the size limit");
    }
    return answer;
  }

  static longshore_result finish(const longshore_host* host, longshore_call handle,
                                 longshore_status_code code, longshore_bytes text) noexcept {
    const auto side = side_of(host);
    const auto call = call_of(side, "finish", handle, false);
    if (!call) return LONGSHORE_STALE;
    const bool known = code >= 0 && code <= 16;
    if (call->finish(known ? static_cast<StatusCode>(code) : StatusCode::kUnknown,
                     well_formed(text) ? std::string(to_view(text)) : std::string())) {
      return LONGSHORE_OK;
    }
    side->used_stale("finish", handle, false);  // two threads of the module at once
    return LONGSHORE_STALE;
  }

  static longshore_result invoke(const longshore_host* host,
                                 const longshore_invoke_request* request,
                                 longshore_invocation* invocation) noexcept {
    const auto side = side_of(host);
    if (!side || !request || !invocation) {
      return refused(side, "invoke", "the request, or where its handle goes, is null");
    }
    const longshore_invoke_request full = copy_of(request);
    if (!full.on_finish || !well_formed(full.method) || !well_formed(full.request)) {
      return refused(side, "invoke", "on_finish, or bytes that have a size, are null");
    }
    return side->invoke(full, invocation);
  }

  static longshore_result cancel(const longshore_host* host,
                                 longshore_invocation invocation) noexcept {
    const auto side = side_of(host);
    return side ? side->cancel_invocation(invocation) : LONGSHORE_STALE;
  }

  static longshore_result grant(const longshore_host* host, longshore_invocation invocation,
                                uint32_t messages) noexcept {
    const auto side = side_of(host);
    return side ? side->grant(invocation, messages) : LONGSHORE_STALE;
  }

  static longshore_result post(const longshore_host* host, int64_t delay_ns,
                               PostedFunction::Function function, void* user) noexcept {
    const auto side = side_of(host);
    if (!side || !function || delay_ns < 0) {
      return refused(side, "post", "the function is null, or the delay is negative");
    }
    return side->post(delay_ns, function, user);
  }

  static longshore_result set_timer(const longshore_host* host, int64_t delay_ns,
                                    PostedFunction::Function function, void* user,
                                    longshore_timer* timer) noexcept {
    const auto side = side_of(host);
    if (!side || !function || !timer || delay_ns < 0) {
      return refused(side, "set_timer",
                     "the function, or where the handle goes, is null, or the delay is negative");
    }
    return side->post(delay_ns, function, user, timer);
  }

  static longshore_result cancel_timer(const longshore_host* host, longshore_timer timer) noexcept {
    const auto side = side_of(host);
    return side ? side->cancel_timer(timer) : LONGSHORE_STALE;
  }

  static longshore_result set_degraded(const longshore_host* host,
                                       longshore_bytes reason) noexcept {
    const auto side = side_of(host);
    if (!side || !well_formed(reason)) return refused(side, "set_degraded", "the bytes are null");
    return side->set_degraded(to_view(reason));
  }

  static longshore_result set_bulkhead(const longshore_host* host, longshore_call call,
                                       longshore_bytes key) noexcept {
    const auto side = side_of(host);
    if (!side || !well_formed(key)) return refused(side, "set_bulkhead", "the bytes are null");
    return side->set_bulkhead(call, to_view(key));
  }

  static void log(const longshore_host* host, longshore_log_level level, longshore_call call,
                  longshore_bytes text) noexcept {
    const auto side = side_of(host);
    if (side && well_formed(text)) side->write_log(level, call, to_view(text));
  }
};

void set_waiting(const longshore_host* host, longshore_call call, std::string_view bulkhead) {
  if (const auto side = HostFunctions::side_of(host)) side->set_waiting(call, bulkhead);
}

HostTable::HostTable(std::string instance_name)
    : instance_name_(std::move(instance_name)),
      table_{sizeof(longshore_host),       LONGSHORE_ABI_MAJOR,
             LONGSHORE_ABI_MINOR,          this,
             &HostFunctions::call_info,    &HostFunctions::call_state,
             &HostFunctions::send,         &HostFunctions::finish,
             &HostFunctions::invoke,       &HostFunctions::cancel,
             &HostFunctions::grant,        &HostFunctions::post,
             &HostFunctions::log,          &HostFunctions::set_timer,
             &HostFunctions::cancel_timer, &HostFunctions::set_degraded,
             &HostFunctions::set_bulkhead} {}

void HostTable::connect(std::weak_ptr<HostSide> side) {
  const std::lock_guard lock(mutex_);
  side_ = std::move(side);
}

void HostTable::disconnect() {
  const std::lock_guard lock(mutex_);
  side_.reset();
}

std::shared_ptr<HostSide> HostTable::side() const {
  const std::lock_guard lock(mutex_);
  return side_.lock();
}

}  // namespace longshore::loader
