#include "loader/host_bridge.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <string_view>
#include <utility>

#include "loader/instance.h"
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
  static std::shared_ptr<Instance> instance_of(const longshore_host* host) {
    return static_cast<const HostBridge*>(host->context)->instance();
  }

  static std::shared_ptr<router::Call> call_of(const longshore_host* host, longshore_call call) {
    const auto instance = instance_of(host);
    return instance ? instance->own_call(call) : nullptr;
  }

  static longshore_answer call_info(const longshore_host* host, longshore_call handle,
                                    longshore_call_info* info) noexcept {
    const auto call = call_of(host, handle);
    if (!call) return LONGSHORE_STALE;
    if (!info) return LONGSHORE_REFUSED;
    longshore_call_info full{};
    full.struct_size = sizeof(full);
    full.remaining_ns = nanoseconds_until(call->deadline());
    full.request_id = to_bytes(call->request_id());
    full.caller = to_bytes(call->caller().identity);
    full.on_behalf_of = to_bytes(call->caller().on_behalf_of);
    const uint32_t size = info->struct_size;
    std::memcpy(info, &full, std::min<size_t>(size, sizeof(full)));
    info->struct_size = size;
    return LONGSHORE_OK;
  }

  static longshore_answer call_state(const longshore_host* host, longshore_call handle) noexcept {
    const auto call = call_of(host, handle);
    return call ? call->state() : LONGSHORE_STALE;
  }

  static longshore_answer send(const longshore_host* host, longshore_call handle,
                               longshore_bytes message) noexcept {
    const auto call = call_of(host, handle);
    if (!call) return LONGSHORE_STALE;
    if (!well_formed(message)) return LONGSHORE_REFUSED;
    return call->send(to_view(message));
  }

  static longshore_answer finish(const longshore_host* host, longshore_call handle,
                                 longshore_status_code code, longshore_bytes text) noexcept {
    const auto instance = instance_of(host);
    const auto call = instance ? instance->own_call(handle) : nullptr;
    if (!call || !instance->take_call(handle)) return LONGSHORE_STALE;
    const bool known = code >= 0 && code <= 16;
    call->finish(known ? static_cast<StatusCode>(code) : StatusCode::kUnknown,
                 well_formed(text) ? std::string(to_view(text)) : std::string());
    return LONGSHORE_OK;
  }

  static longshore_answer invoke(const longshore_host* host,
                                 const longshore_invoke_request* request,
                                 longshore_invocation* invocation) noexcept {
    const auto instance = instance_of(host);
    if (!instance || !request || !invocation) return LONGSHORE_REFUSED;
    longshore_invoke_request full{};
    std::memcpy(&full, request, std::min<size_t>(request->struct_size, sizeof(full)));
    if (!full.on_finish || !well_formed(full.method) || !well_formed(full.request)) {
      return LONGSHORE_REFUSED;
    }
    return instance->invoke(full, invocation);
  }

  static longshore_answer cancel(const longshore_host* host,
                                 longshore_invocation invocation) noexcept {
    const auto instance = instance_of(host);
    return instance ? instance->cancel_invocation(invocation) : LONGSHORE_STALE;
  }

  static longshore_answer grant(const longshore_host* host, longshore_invocation invocation,
                                uint32_t messages) noexcept {
    const auto instance = instance_of(host);
    return instance ? instance->grant(invocation, messages) : LONGSHORE_STALE;
  }

  static longshore_answer post(const longshore_host* host, int64_t delay_ns,
                               PostedFunction::Function function, void* user) noexcept {
    const auto instance = instance_of(host);
    if (!instance || !function || delay_ns < 0) return LONGSHORE_REFUSED;
    return instance->post(delay_ns, function, user);
  }

  static void log(const longshore_host* host, longshore_log_level level, longshore_call call,
                  longshore_bytes text) noexcept {
    const auto instance = instance_of(host);
    if (instance && well_formed(text)) instance->write_log(level, call, to_view(text));
  }
};

HostBridge::HostBridge(std::string instance_name)
    : instance_name_(std::move(instance_name)),
      table_{sizeof(longshore_host),    LONGSHORE_ABI_MAJOR,
             LONGSHORE_ABI_MINOR,       this,
             &HostFunctions::call_info, &HostFunctions::call_state,
             &HostFunctions::send,      &HostFunctions::finish,
             &HostFunctions::invoke,    &HostFunctions::cancel,
             &HostFunctions::grant,     &HostFunctions::post,
             &HostFunctions::log} {}

void HostBridge::connect(std::weak_ptr<Instance> instance) {
  const std::lock_guard lock(mutex_);
  instance_ = std::move(instance);
}

void HostBridge::disconnect() {
  const std::lock_guard lock(mutex_);
  instance_.reset();
}

std::shared_ptr<Instance> HostBridge::instance() const {
  const std::lock_guard lock(mutex_);
  return instance_.lock();
}

}  // namespace longshore::loader
