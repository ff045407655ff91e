#include "supervise/child_call.h"

#include <utility>

#include "longshore/child/v1.pb.h"
#include "longshore/context.hpp"

namespace longshore::supervise {

bool ChildCall::send(std::shared_ptr<ChildConnection> child) {
  const std::lock_guard lock(mutex_);
  longshore_call_info info{};
  info.struct_size = sizeof(info);
  if (is_over_ || host_->call_info(host_, id_, &info) != LONGSHORE_OK) return true;
  child::v1::Call head;
  head.set_method(method_);
  head.set_remaining_ns(info.remaining_ns);
  head.set_request_id(std::string(to_view(info.request_id)));
  head.set_caller(std::string(to_view(info.caller)));
  head.set_on_behalf_of(std::string(to_view(info.on_behalf_of)));
  head.set_credit(kStreamCredit);
  child_ = std::move(child);
  const std::string head_bytes = head.SerializeAsString();
  const auto sent = child_->frames().send({FrameType::kCall, id_, head_bytes, request_, is_secret_},
                                          FrameChannel::Room::kUnlessMuchWaits);
  // A cancellation that came before the call was in the table found nothing to cancel.
  if (!is_wanted()) child_->frames().send({FrameType::kCancel, id_});
  return sent != FrameChannel::Sent::kMuchWaits;
}

void ChildCall::take_back() {
  const std::lock_guard lock(mutex_);
  child_.reset();
}

void ChildCall::cancel() {
  bool is_sent_off = false;
  {
    const std::lock_guard lock(mutex_);
    is_sent_off = child_ != nullptr;
    if (is_sent_off) child_->frames().send({FrameType::kCancel, id_});
  }
  if (is_sent_off) {
    pump();  // what waits for room is dropped
  } else {
    end(StatusCode::kCancelled, "the call was cancelled before it began");
  }
}

bool ChildCall::on_message(std::string_view message) {
  has_begun_ = true;
  return add(message);
}

// At once: there is always room for the answer of a unary method.
void ChildCall::on_response(std::string_view answer) {
  has_begun_ = true;
  host_->send(host_, id_, to_bytes(answer));
}

longshore_result ChildCall::deliver(std::string_view message) {
  return host_->send(host_, id_, to_bytes(message));
}

void ChildCall::grant(uint32_t messages) {
  child::v1::Grant grant;
  grant.set_messages(messages);
  const std::lock_guard lock(mutex_);
  if (child_) child_->frames().send(FrameType::kGrant, id_, grant);
}

void ChildCall::finish(StatusCode code, std::string text) {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  forget_();
  host_->finish(host_, id_, static_cast<int32_t>(code), to_bytes(text));
}

}  // namespace longshore::supervise
