// The echo module: each handler shows one thing that the SDK can do.
#include "longshore/module.hpp"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <set>
#include <stdexcept>

#include "longshore/echo/v1.pb.h"
#include "module_description.h"

namespace longshore::echo {
namespace {

using std::chrono::milliseconds;

// Lets `cancel` wake a handler that waits.
class CancelSignal {
 public:
  void raise(longshore_call call) {
    const std::lock_guard lock(mutex_);
    if (waiting_.erase(call) != 0) changed_.notify_all();
  }

  // True if the call was cancelled before `time` was over.
  bool wait(const Context& context, milliseconds time, bool stubborn) {
    std::unique_lock lock(mutex_);
    if (!stubborn) waiting_.insert(context.handle());
    // Asked under the lock: a cancellation from here on finds the call in the set.
    if (!stubborn && context.cancelled()) return waiting_.erase(context.handle()) != 0;
    const bool cancelled = changed_.wait_for(
        lock, time, [&] { return !stubborn && !waiting_.contains(context.handle()); });
    waiting_.erase(context.handle());
    return cancelled;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::set<longshore_call> waiting_;
};

// A posted WaitAsync: the handler has returned, the reply waits for its time.
struct LaterReply {
  Reply<v1::WaitResponse> reply;

  static void run(void* user, longshore_answer answer) noexcept {
    const std::unique_ptr<LaterReply> self(static_cast<LaterReply*>(user));
    v1::WaitResponse response;
    response.set_cancelled(answer == LONGSHORE_CANCELLED);
    self->reply(response);
  }
};

class Echo {
 public:
  void configure(std::string greeting, int64_t generation) {
    greeting_ = std::move(greeting);
    generation_ = generation;
  }
  int64_t generation() const { return generation_; }
  CancelSignal& cancel_signal() { return cancel_signal_; }

  Result<v1::SayResponse> say(Context, const v1::SayRequest& request) {
    v1::SayResponse response;
    response.set_text(request.text());
    return response;
  }

  Result<v1::WaitResponse> wait(Context context, const v1::WaitRequest& request) {
    v1::WaitResponse response;
    response.set_cancelled(
        cancel_signal_.wait(context, milliseconds(request.milliseconds()), request.stubborn()));
    return response;
  }

  void wait_async(Context context, v1::WaitRequest request, Reply<v1::WaitResponse> reply) {
    auto later = std::make_unique<LaterReply>(LaterReply{std::move(reply)});
    const auto delay = std::chrono::nanoseconds(milliseconds(request.milliseconds())).count();
    if (context.host()->post(context.host(), delay, &LaterReply::run, later.get()) ==
        LONGSHORE_OK) {
      static_cast<void>(later.release());
    }
  }

  Result<void> count(Context, const v1::CountRequest& request, Stream<v1::CountResponse>& stream) {
    v1::CountResponse response;
    response.set_payload(
        std::string(static_cast<size_t>(std::max<int64_t>(0, request.payload_bytes())), 'x'));
    for (int64_t number = 0; number < request.count(); ++number) {
      response.set_number(number);
      if (!stream.send(response)) {
        return Error(StatusCode::kCancelled, "count on").because("nobody listens");
      }
    }
    return {};
  }

  Result<v1::FailResponse> fail(Context, const v1::FailRequest& request) {
    if (request.by_exception()) throw std::runtime_error(request.text());
    if (request.code() == 0) return v1::FailResponse();
    return Error::of_text(static_cast<StatusCode>(request.code()), request.text());
  }

  Result<v1::ForwardResponse> forward(Context context, const v1::ForwardRequest& request) {
    Result<std::string> answer = context.invoke_bytes(request.method(), request.request());
    if (!answer) return std::move(answer).error();
    v1::ForwardResponse response;
    response.set_response(*answer);
    return response;
  }

  Result<v1::DescribeResponse> describe(Context context, const v1::DescribeRequest&) {
    v1::DescribeResponse response;
    response.set_caller(context.caller());
    response.set_on_behalf_of(context.on_behalf_of());
    response.set_request_id(context.request_id());
    response.set_greeting(greeting_);
    response.set_started_after_upgrades(generation_);
    const auto deadline = context.deadline();
    response.set_remaining_ms(
        deadline == Context::Clock::time_point::max()
            ? -1
            : std::chrono::duration_cast<milliseconds>(deadline - Context::Clock::now()).count());
    return response;
  }

 private:
  std::string greeting_;
  int64_t generation_ = 0;
  CancelSignal cancel_signal_;
};

class EchoModule final : public Module {
 public:
  Result<void> start(const Settings& settings, std::string_view handover) override {
    const int64_t generation = handover.empty() ? 0 : std::stoll(std::string(handover)) + 1;
    echo_.configure(settings.get_string("greeting"), generation);
    add_service("longshore.echo.v1.Echo", echo_)
        .unary("Say", &Echo::say)
        .unary("SayAtOnce", &Echo::say)
        .unary("Wait", &Echo::wait)
        .async("WaitAsync", &Echo::wait_async)
        .server_stream("Count", &Echo::count)
        .unary("Fail", &Echo::fail)
        .unary("Forward", &Echo::forward)
        .unary("Describe", &Echo::describe);
    return {};
  }

  Result<std::string> stop(Context) override { return std::to_string(echo_.generation()); }

  void on_cancel(longshore_call call) override { echo_.cancel_signal().raise(call); }

 private:
  Echo echo_;
};

}  // namespace
}  // namespace longshore::echo

LONGSHORE_MODULE(longshore::echo::EchoModule, "longshore-echo", "0.1.0", "Longshore")
