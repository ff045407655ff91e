#include "endpoint/routed_call.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "longshore/secret.hpp"

namespace longshore::endpoint {
namespace {

// A client's own request id, if it is fit for logs.
std::string request_id_of(const rpc::Metadata& metadata) {
  const std::string* id = rpc::find(metadata, "x-request-id");
  return id && router::is_request_id(*id) ? *id : std::string();
}

// Keeps what the request's bytes are charged to for as long as the call has them.
class StreamObserver final : public router::CallObserver {
 public:
  explicit StreamObserver(std::shared_ptr<rpc::ServerStream> stream) : stream_(std::move(stream)) {}

  void hold(rpc::MemoryCharge held) { held_ = std::move(held); }

  bool on_message(std::string message) override { return stream_->send(std::move(message)); }
  std::optional<Error> refusal() const override { return stream_->refusal(); }
  void on_response(std::string message) override { stream_->send_and_finish(std::move(message)); }
  void on_finish(StatusCode code, std::string text) override {
    stream_->finish(code, std::move(text), {});
  }

 private:
  const std::shared_ptr<rpc::ServerStream> stream_;
  rpc::MemoryCharge held_;
};

class RoutedCall final : public rpc::ServerCallHandler {
 public:
  RoutedCall(const rpc::CallHead& head, std::shared_ptr<rpc::ServerStream> stream,
             const CallOrigin& origin)
      : router_(origin.router),
        rights_(origin.rights),
        request_time_(origin.request_time),
        version_(rights_.version()),
        stream_(std::move(stream)),
        observer_(std::make_shared<StreamObserver>(stream_)) {
    request_.method = std::string_view(head.path).substr(1);
    request_.caller = origin.caller;
    request_.timeout = head.timeout;
    request_.request_id = request_id_of(head.metadata);
    request_.observer = observer_;
    request_.allowed = rights_.allowed();
    request_.runner = &origin.runner;
    request_.counted = true;
    admission_ = router_.admit(request_);
    if (admission_) request_.method = method().full_name;  // the head is gone soon
  }

  // Whether the head alone was good enough; otherwise the client has been told.
  bool is_admitted() const { return admission_.has_value(); }

  // What has not become a call.
  ~RoutedCall() override { wipe(request_.request); }
  RoutedCall(const RoutedCall&) = delete;
  RoutedCall& operator=(const RoutedCall&) = delete;

  void on_message(std::string message, rpc::MemoryCharge held) override {
    if (has_request_) {
      wipe(message);
      return refuse(StatusCode::kInvalidArgument,
                    "the call has more than one request, and " + method().full_name + " takes one");
    }
    has_request_ = true;
    request_.request = std::move(message);
    observer_->hold(std::move(held));
  }

  void on_half_close() override {
    if (!has_request_) return refuse(StatusCode::kInvalidArgument, "the call has no request");
    const bool is_changed = rights_.version() != version_;
    if (is_changed && !rights_.serves(method().service)) {
      return refuse(StatusCode::kUnimplemented, "this endpoint does not serve the service \"" +
                                                    method().service + "\" any more");
    }
    if (is_changed) request_.allowed = rights_.allowed();
    is_handed_on_ = true;
    call_ = router_.call(*admission_, std::move(request_), is_changed);
  }

  void on_cancel() override {
    if (call_) return call_->cancel();
    if (router::Clock::now() < request_deadline()) {
      abandon(StatusCode::kCancelled, "the caller cancelled the call");
    } else {
      abandon(StatusCode::kDeadlineExceeded, "the request was not complete in time");
    }
  }

  void on_writable() override {
    if (call_) call_->resume();
  }

  router::Clock::time_point request_deadline() const override {
    return std::min(admission_->deadline.at, *request_.begun + request_time_);
  }

 private:
  const router::Method& method() const { return *admission_->route->method; }

  // Tells the router what became of it.
  void abandon(StatusCode code, const std::string& text) {
    if (!std::exchange(is_handed_on_, true)) router_.abandon(*admission_, request_, code, text);
  }

  void refuse(StatusCode code, const std::string& text) {
    abandon(code, text);
    stream_->finish(code, text, {});
  }

  router::Router& router_;
  PeerRights& rights_;
  const std::chrono::nanoseconds request_time_;
  const uint64_t version_;
  std::optional<router::Admission> admission_;
  router::CallRequest request_;
  const std::shared_ptr<rpc::ServerStream> stream_;
  const std::shared_ptr<StreamObserver> observer_;
  bool has_request_ = false;
  bool is_handed_on_ = false;  // to the router, for good or ill
  std::shared_ptr<router::Call> call_;
};

}  // namespace

std::unique_ptr<rpc::ServerCallHandler> start_routed_call(const rpc::CallHead& head,
                                                          std::shared_ptr<rpc::ServerStream> stream,
                                                          const CallOrigin& origin) {
  auto call = std::make_unique<RoutedCall>(head, std::move(stream), origin);
  return call->is_admitted() ? std::move(call) : nullptr;
}

}  // namespace longshore::endpoint
