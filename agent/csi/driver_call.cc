#include "csi/driver_call.h"

#include <algorithm>
#include <chrono>

#include "csi/driver_name.h"
#include "longshore/host/csi.pb.h"

namespace longshore::csi {
std::shared_ptr<router::Call> DriverCall::take_call() {
  const std::lock_guard lock(mutex_);
  return std::exchange(parts_.call, nullptr);
}

void DriverCall::begin(rpc::ClientConnection& connection, std::function<void()> retry) {
  rpc::ClientCallOptions options;
  options.path = '/' + parts_.method;
  if (parts_.deadline != router::Clock::time_point::max()) {
    options.timeout = std::max<std::chrono::nanoseconds>(parts_.deadline - router::Clock::now(),
                                                         std::chrono::nanoseconds(1));
  }
  if (!was_retried_) retry_ = std::move(retry);
  std::string request = retry_ ? parts_.request : std::move(parts_.request);
  running_ = connection.call(std::move(options), std::move(request), shared_from_this());
}

void DriverCall::cancel() {
  retry_ = nullptr;
  if (const auto running = running_) {
    running->cancel();  // on_finish follows
  } else {
    fail(Error::of_text(StatusCode::kCancelled, "the caller cancelled the call"));
  }
}

void DriverCall::on_finish(rpc::Outcome outcome) {
  running_ = nullptr;
  if (const auto retry = std::exchange(retry_, nullptr); retry && outcome.unseen) {
    was_retried_ = true;
    return retry();
  }
  if (outcome.code != StatusCode::kOk) return fail(Error::of_text(outcome.code, outcome.text));
  if (response_) return end(*std::move(response_), outcome.text);
  // An empty message would be one.
  fail(Error(StatusCode::kInternal, "call the CSI driver at", parts_.path)
           .because(parts_.method + " ended with OK, but without its response"));
}

void DriverCall::count(StatusCode code, const std::string* response) const {
  const auto now = router::Clock::now();
  // The router cancels what is late, which may come before the driver's connection notices.
  if (code == StatusCode::kCancelled && now >= parts_.deadline)
    code = StatusCode::kDeadlineExceeded;
  parts_.metrics->handled(parts_.path, parts_.method, code, now - began_at_);
  if (response == nullptr || parts_.method != kGetPluginInfo) return;
  parts_.metrics->name_driver(parts_.path, driver_name_in(*response));
}

void DriverCall::end(const Result<std::string>& answer, const std::string& text) {
  if (std::exchange(is_over_, true)) return;
  const StatusCode code = answer ? StatusCode::kOk : answer.error().code();
  count(code, answer ? &*answer : nullptr);
  if (const auto call = take_call()) {
    if (answer) {
      host::v1::CsiCallResponse message;
      message.set_response(*answer);
      call->send(message.SerializeAsString());
    }
    call->finish(code, text);
  }
  if (const auto on_answer = std::exchange(on_answer_, nullptr)) {
    on_answer(answer);
  }
  if (const auto on_over = std::exchange(on_over_, nullptr)) on_over();
}

}  // namespace longshore::csi
