#include "endpoint/routed_call.h"

#include <optional>
#include <utility>

#include "longshore/secret.hpp"

namespace longshore::endpoint {
namespace {

// A client's own request id, if it is fit for logs.
std::string request_id_of(const rpc::Metadata& metadata) {
  const std::string* id = rpc::find(metadata, "x-request-id");
  return id && router::is_request_id(*id) ? *id : std::string();
}

class StreamObserver final : public router::CallObserver {
 public:
  explicit StreamObserver(std::shared_ptr<rpc::ServerStream> stream) : stream_(std::move(stream)) {}

  bool on_message(std::string message) override { return stream_->send(std::move(message)); }
  void on_response(std::string message) override { stream_->send_and_finish(std::move(message)); }
  void on_finish(StatusCode code, std::string text) override {
    stream_->finish(code, std::move(text), {});
  }

 private:
  const std::shared_ptr<rpc::ServerStream> stream_;
};

class RoutedCall final : public rpc::ServerCallHandler {
 public:
  RoutedCall(const rpc::CallHead& head, std::shared_ptr<rpc::ServerStream> stream,
             CallOrigin origin)
      : method_(head.path.substr(1)),
        timeout_(head.timeout),
        request_id_(request_id_of(head.metadata)),
        stream_(std::move(stream)),
        origin_(std::move(origin)) {}

  // What has not become a call.
  ~RoutedCall() override {
    if (request_) wipe(*request_);
  }
  RoutedCall(const RoutedCall&) = delete;
  RoutedCall& operator=(const RoutedCall&) = delete;

  void on_message(std::string message) override {
    if (request_) {
      wipe(message);
      return stream_->finish(StatusCode::kInvalidArgument,
                             "the call has more than one request, and " + method_ + " takes one",
                             {});
    }
    request_ = std::move(message);
  }

  void on_half_close() override {
    if (!request_) {
      return stream_->finish(StatusCode::kInvalidArgument, "the call has no request", {});
    }
    router::CallRequest request;
    request.method = method_;
    request.request = std::move(*request_);
    request.caller = origin_.caller;
    request.timeout = timeout_;
    request.request_id = std::move(request_id_);
    request.observer = std::make_shared<StreamObserver>(stream_);
    request.allowed = origin_.allowed;
    request.runner = &origin_.runner;
    request.counted = true;
    call_ = origin_.router.call(std::move(request));
  }

  void on_cancel() override {
    if (call_) call_->cancel();
  }

  void on_writable() override {
    if (call_) call_->resume();
  }

 private:
  const std::string method_;
  const std::optional<std::chrono::nanoseconds> timeout_;
  std::string request_id_;
  const std::shared_ptr<rpc::ServerStream> stream_;
  const CallOrigin origin_;
  std::optional<std::string> request_;
  std::shared_ptr<router::Call> call_;
};

}  // namespace

std::unique_ptr<rpc::ServerCallHandler> start_routed_call(const rpc::CallHead& head,
                                                          std::shared_ptr<rpc::ServerStream> stream,
                                                          CallOrigin origin) {
  return std::make_unique<RoutedCall>(head, std::move(stream), std::move(origin));
}

}  // namespace longshore::endpoint
