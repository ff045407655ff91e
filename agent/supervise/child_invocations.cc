#include "supervise/child_invocations.h"

#include <string>
#include <utility>
#include <vector>

#include "longshore/context.hpp"
#include "longshore/result.hpp"
#include "supervise/response_pump.h"

namespace longshore::supervise {
namespace {

constexpr size_t kMostAtOnce = 4096;

}  // namespace

void ChildInvocations::begin(uint64_t id, const child::v1::Invoke& invoke,
                             std::string_view request) {
  const router::Credit credit(invoke.credit(), kStreamCredit);
  auto invocation = std::make_shared<Invocation>(Invocation{shared_from_this(), id, 0, credit});
  {
    const std::lock_guard lock(mutex_);
    if (running_.size() >= kMostAtOnce || !running_.emplace(id, invocation).second) {
      return send_end(id, static_cast<int32_t>(StatusCode::kResourceExhausted),
                      "the module makes too many calls at once");
    }
  }
  longshore_invoke_request call{};
  call.struct_size = sizeof(call);
  call.credit = credit.left();
  call.parent = invoke.parent();
  call.timeout_ns = invoke.timeout_ns();
  call.method = to_bytes(invoke.method());
  call.request = to_bytes(request);
  call.user = invocation.get();
  call.on_message = &ChildInvocations::on_message;
  call.on_finish = &ChildInvocations::on_finish;
  const longshore_result answer = host_->invoke(host_, &call, &invocation->handle);
  if (answer == LONGSHORE_OK) return;
  const char* const why = answer == LONGSHORE_STALE ? "the call that it belongs to is over"
                                                    : "the module is being stopped";
  on_finish(invocation.get(), 0, static_cast<int32_t>(StatusCode::kCancelled),
            to_bytes(std::string_view(why)));
}

void ChildInvocations::cancel(uint64_t id) {
  if (const auto invocation = find(id)) host_->cancel(host_, invocation->handle);
}

void ChildInvocations::grant(uint64_t id, uint32_t messages) {
  const auto invocation = find(id);
  if (!invocation) return;
  uint32_t more = 0;
  {
    const std::lock_guard lock(mutex_);
    more = invocation->credit.grant(messages);
  }
  host_->grant(host_, invocation->handle, more);
}

void ChildInvocations::cancel_all() {
  std::vector<longshore_invocation> handles;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [id, invocation] : running_) handles.push_back(invocation->handle);
  }
  for (const longshore_invocation handle : handles) host_->cancel(host_, handle);
}

std::shared_ptr<ChildInvocations::Invocation> ChildInvocations::find(uint64_t id) const {
  const std::lock_guard lock(mutex_);
  const auto found = running_.find(id);
  return found == running_.end() ? nullptr : found->second;
}

void ChildInvocations::on_message(void* user, longshore_invocation, longshore_bytes message) {
  auto& invocation = *static_cast<Invocation*>(user);
  {
    const std::lock_guard lock(invocation.calls->mutex_);
    invocation.credit.take();
  }
  // On the thread for the completions of this module, which waits while its process does not read.
  invocation.calls->child_->frames().send_when_room(
      {FrameType::kResponseMessage, invocation.id, {}, to_view(message)});
}

void ChildInvocations::on_finish(void* user, longshore_invocation, longshore_status_code code,
                                 longshore_bytes text) {
  const auto calls = static_cast<Invocation*>(user)->calls;  // the table's may be the last
  const uint64_t id = static_cast<Invocation*>(user)->id;
  calls->send_end(id, code, to_view(text));
  const std::lock_guard lock(calls->mutex_);
  calls->running_.erase(id);
}

void ChildInvocations::send_end(uint64_t id, longshore_status_code code,
                                std::string_view text) const {
  child::v1::End end;
  end.set_code(code);
  end.set_text(std::string(text));
  child_->frames().send(FrameType::kResponseEnd, id, end);
}

}  // namespace longshore::supervise
