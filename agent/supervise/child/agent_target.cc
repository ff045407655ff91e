#include "supervise/child/agent_target.h"

#include <algorithm>
#include <utility>

#include "longshore/child/v1.pb.h"

namespace longshore::supervise {

using router::Call;
using router::Clock;

// The answer to one call of the module's.
class AgentTarget::Answer final : public ResponsePump {
 public:
  Answer(AgentTarget& target, std::shared_ptr<Call> call)
      : target_(target), id_(call->handle()), call_(std::move(call)) {}

 protected:
  longshore_result deliver(std::string_view message) override { return call_->send(message); }

  void grant(uint32_t messages) override {
    child::v1::Grant grant;
    grant.set_messages(messages);
    target_.agent_.send(FrameType::kGrantInvocation, id_, grant);
  }

  void finish(StatusCode code, std::string text) override {
    {
      const std::lock_guard lock(target_.mutex_);
      target_.answers_.erase(id_);
    }
    call_->finish(code, std::move(text));
  }

 private:
  AgentTarget& target_;
  const uint64_t id_;
  const std::shared_ptr<Call> call_;
};

Result<void> AgentTarget::submit(std::shared_ptr<Call> call) {
  call->run();
  return {};
}

void AgentTarget::execute(Call& call) {
  if (call.request().size() > max_request_bytes_) {
    call.finish(StatusCode::kResourceExhausted,
                "the request has " + std::to_string(call.request().size()) +
                    " bytes, more than the limit of " + std::to_string(max_request_bytes_));
    return;
  }
  child::v1::Invoke invoke;
  invoke.set_method(call.method().full_name);
  invoke.set_parent(call.origin());
  invoke.set_credit(kStreamCredit);
  if (call.deadline() != Clock::time_point::max()) {
    const std::chrono::nanoseconds left = call.deadline() - Clock::now();
    invoke.set_timeout_ns(std::max<int64_t>(left.count(), 1));
  }
  {
    const std::lock_guard lock(mutex_);
    auto shared = std::static_pointer_cast<Call>(call.shared_from_this());
    answers_.emplace(call.handle(), std::make_shared<Answer>(*this, std::move(shared)));
  }
  // Whether the other module's method takes secrets is not known here.
  const std::string head = invoke.SerializeAsString();
  agent_.send({FrameType::kInvoke, call.handle(), head, call.request(), true});
}

void AgentTarget::on_cancel(Call& call) {
  agent_.send({FrameType::kCancelInvocation, call.handle()});
  on_writable(call);  // what waits for room is dropped
}

void AgentTarget::on_writable(Call& call) {
  if (const auto answer = find(call.handle())) answer->pump();
}

void AgentTarget::on_response(uint64_t id, std::string_view message) {
  if (const auto answer = find(id)) answer->add(message);
}

void AgentTarget::on_response_end(uint64_t id, StatusCode code, std::string text) {
  if (const auto answer = find(id)) answer->end(code, std::move(text));
}

std::shared_ptr<AgentTarget::Answer> AgentTarget::find(uint64_t id) const {
  const std::lock_guard lock(mutex_);
  const auto found = answers_.find(id);
  return found == answers_.end() ? nullptr : found->second;
}

}  // namespace longshore::supervise
