// A call as a handler sees it: who calls, how long there is, how to log and how to call on.
//
// Owner: cheap to copy, owns nothing; names the call by its handle, so a copy that outlives the
// call is harmless (every function then says so). Threads: [any].
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "longshore/abi.h"
#include "longshore/result.hpp"

namespace longshore {

inline longshore_bytes to_bytes(std::string_view text) { return {text.data(), text.size()}; }
inline std::string_view to_view(longshore_bytes bytes) {
  return {static_cast<const char*>(bytes.data), static_cast<size_t>(bytes.size)};
}

// Whether the agent's table is new enough to have this function.
template <typename Function>
bool has(const longshore_host* host, Function longshore_host::*function) {
  const auto end = reinterpret_cast<const char*>(&(host->*function) + 1);
  return end <= reinterpret_cast<const char*>(host) + host->struct_size && host->*function;
}

class Context {
 public:
  using Clock = std::chrono::steady_clock;

  Context(const longshore_host* host, longshore_call call) : host_(host), call_(call) {}

  const longshore_host* host() const { return host_; }
  longshore_call handle() const { return call_; }

  // True once nobody waits for the answer: cancelled, past its deadline, or finished.
  bool cancelled() const { return host_->call_state(host_, call_) != LONGSHORE_OK; }

  // When the answer is due; Clock::time_point::max() when there is no deadline.
  Clock::time_point deadline() const {
    const longshore_call_info info = this->info();
    if (info.remaining_ns == LONGSHORE_NO_DEADLINE) return Clock::time_point::max();
    return Clock::now() + std::chrono::nanoseconds(info.remaining_ns);
  }

  // "uid:0", "module:volume", ...; see longshore_call_info.
  std::string caller() const { return std::string(to_view(info().caller)); }
  std::string on_behalf_of() const { return std::string(to_view(info().on_behalf_of)); }
  std::string request_id() const { return std::string(to_view(info().request_id)); }

  // A log line with this call's method, request id and object.
  void log(longshore_log_level level, std::string_view text) const {
    host_->log(host_, level, call_, to_bytes(text));
  }

  // Says what the call would hang on: the mount, disk or server behind its object. Before it is
  // touched, and made of what is known without touching it. An error: too many run or hang there
  // already; answer with it and touch nothing. The agent may then invoke the handler anew later.
  // Needs an agent of ABI 0.2; an older one knows the object only.
  Result<void> enter_bulkhead(std::string_view key) const {
    if (!has(host_, &longshore_host::set_bulkhead)) return {};
    if (host_->set_bulkhead(host_, call_, to_bytes(key)) != LONGSHORE_REFUSED) return {};
    return Error(StatusCode::kUnavailable, "begin", std::string(key))
        .because("earlier calls for it are stuck")
        .advise("the device or server behind it does not answer");
  }

  // Calls a unary method of another module or of the agent, and waits. Deadline, cancellation and
  // request id are this call's. [pool]: never in a handler that must not block.
  template <typename Response, typename Request>
  Result<Response> invoke(std::string_view method, const Request& request) const;
  Result<std::string> invoke_bytes(std::string_view method, std::string_view request) const;

 private:
  longshore_call_info info() const {
    longshore_call_info info{};
    info.struct_size = sizeof(info);
    if (host_->call_info(host_, call_, &info) != LONGSHORE_OK) info.remaining_ns = 0;
    return info;
  }

  const longshore_host* host_;
  longshore_call call_;
};

namespace detail {

inline void finish(const Context& context, StatusCode code, std::string_view text) {
  context.host()->finish(context.host(), context.handle(), static_cast<int32_t>(code),
                         to_bytes(text));
}

// Runs `function`, and says which exception has left it, if one has. Where there is no memory to
// say it, the text is as short as fits into a string without any.
template <typename Function>
std::optional<std::string> thrown_by(Function&& function) noexcept {
  try {
    try {
      function();
      return std::nullopt;
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const std::exception& exception) {
      return std::string("the module threw an exception: ") + exception.what();
    } catch (...) {
      return "the module threw an unknown exception";
    }
  } catch (...) {
    return "out of memory";
  }
}

// Runs a function of the module's that answers no call; an exception ends as a log line.
template <typename Function>
void contain(const longshore_host* host, Function&& function) noexcept {
  if (const auto reason = thrown_by(function)) {
    host->log(host, LONGSHORE_LOG_ERROR, 0, to_bytes(*reason));
  }
}

// Where the completions of one blocking invocation leave what they bring.
struct PendingResponse {
  std::mutex mutex;
  std::condition_variable done;
  bool finished = false;
  longshore_status_code code = 0;
  std::string message;
  std::string text;

  static void on_message(void* user, longshore_invocation, longshore_bytes message) {
    auto* self = static_cast<PendingResponse*>(user);
    self->message.assign(to_view(message));
  }
  static void on_finish(void* user, longshore_invocation, longshore_status_code code,
                        longshore_bytes text) {
    auto* self = static_cast<PendingResponse*>(user);
    const std::lock_guard lock(self->mutex);
    self->code = code;
    self->text.assign(to_view(text));
    self->finished = true;
    // Under the lock: the waiter may free this object as soon as it can take it.
    self->done.notify_one();
  }
};

}  // namespace detail

inline Result<std::string> Context::invoke_bytes(std::string_view method,
                                                 std::string_view request) const {
  detail::PendingResponse answer;
  longshore_invoke_request call{};
  call.struct_size = sizeof(call);
  call.credit = 1;
  call.parent = call_;
  call.method = to_bytes(method);
  call.request = to_bytes(request);
  call.user = &answer;
  call.on_message = &detail::PendingResponse::on_message;
  call.on_finish = &detail::PendingResponse::on_finish;
  longshore_invocation invocation = 0;
  if (const auto taken = host_->invoke(host_, &call, &invocation); taken != LONGSHORE_OK) {
    return Error(StatusCode::kCancelled, "call", std::string(method))
        .because(taken == LONGSHORE_STALE ? "the call that it belongs to is over"
                                          : "the agent refused it");
  }
  std::unique_lock lock(answer.mutex);
  answer.done.wait(lock, [&] { return answer.finished; });
  if (answer.code != 0) {
    return Error::of_text(static_cast<StatusCode>(answer.code), std::move(answer.text));
  }
  return std::move(answer.message);
}

template <typename Response, typename Request>
Result<Response> Context::invoke(std::string_view method, const Request& request) const {
  Result<std::string> bytes = invoke_bytes(method, request.SerializeAsString());
  if (!bytes) return std::move(bytes).error();
  Response response;
  if (!response.ParseFromString(*bytes)) {
    return Error(StatusCode::kInternal, "read the answer of", std::string(method));
  }
  return response;
}

}  // namespace longshore
