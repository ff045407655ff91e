// The echo module: each handler shows one thing that the SDK can do.
#include "longshore/module.hpp"

#include <algorithm>
#include <condition_variable>
#include <map>
#include <memory>
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

// A request may ask for any time: longer ones are as good as this.
milliseconds bounded(int64_t time) {
  return milliseconds(std::clamp<int64_t>(time, 0, 86'400'000));
}

// The replies of WaitAsync that wait, for their time or for a cancellation. Their handlers have
// returned.
class LaterReplies {
 public:
  void add(longshore_call call, Reply<v1::WaitResponse> reply) {
    const std::lock_guard lock(mutex_);
    waiting_.try_emplace(call, std::move(reply));
  }

  void give(longshore_call call, bool cancelled) {
    Map::node_type taken;
    {
      const std::lock_guard lock(mutex_);
      taken = waiting_.extract(call);
    }
    if (taken.empty()) return;
    v1::WaitResponse response;
    response.set_cancelled(cancelled);
    taken.mapped()(response);
  }

  // Runs at the time that was asked for, or when the instance is being stopped.
  struct Posted {
    LaterReplies& replies;
    longshore_call call;

    static void run(void* user, longshore_result answer) noexcept {
      const std::unique_ptr<Posted> self(static_cast<Posted*>(user));
      self->replies.give(self->call, answer == LONGSHORE_CANCELLED);
    }
  };

 private:
  using Map = std::map<longshore_call, Reply<v1::WaitResponse>>;

  std::mutex mutex_;
  Map waiting_;
};

Error nobody_listens() {
  return Error(StatusCode::kCancelled, "count on").because("nobody listens");
}

// A CountAsync. Its functions own it, until they are let go of at the end.
class Counting : public std::enable_shared_from_this<Counting> {
 public:
  Counting(int64_t count, v1::CountResponse response, StreamReply<v1::CountResponse> reply)
      : count_(count), next_(std::move(response)), reply_(std::move(reply)) {}

  void begin() {
    reply_.on_ready([self = shared_from_this()] { self->go_on(); });
    reply_.on_cancel([self = shared_from_this()] { self->reply_.finish(nobody_listens()); });
    go_on();
  }

 private:
  void go_on() {
    while (next_.number() < count_) {
      const Sent sent = reply_.send(next_);
      if (sent == Sent::kNobodyListens) return reply_.finish(nobody_listens());
      if (sent == Sent::kNoRoom) return;  // on_ready will be called
      next_.set_number(next_.number() + 1);
    }
    reply_.finish({});
  }

  const int64_t count_;
  v1::CountResponse next_;
  StreamReply<v1::CountResponse> reply_;
};

class Echo {
 public:
  void configure(std::string greeting, int64_t generation) {
    greeting_ = std::move(greeting);
    generation_ = generation;
  }
  int64_t generation() const { return generation_; }
  void cancel(longshore_call call) {
    cancel_signal_.raise(call);
    later_replies_.give(call, true);
  }

  Result<v1::SayResponse> say(Context, const v1::SayRequest& request) {
    v1::SayResponse response;
    response.set_text(request.text());
    return response;
  }

  Result<v1::WaitResponse> wait(Context context, const v1::WaitRequest& request) {
    v1::WaitResponse response;
    response.set_cancelled(
        cancel_signal_.wait(context, bounded(request.milliseconds()), request.stubborn()));
    return response;
  }

  void wait_async(Context context, v1::WaitRequest request, Reply<v1::WaitResponse> reply) {
    const auto delay = std::chrono::nanoseconds(bounded(request.milliseconds())).count();
    later_replies_.add(context.handle(), std::move(reply));
    auto posted = std::make_unique<LaterReplies::Posted>(
        LaterReplies::Posted{later_replies_, context.handle()});
    if (context.host()->post(context.host(), delay, &LaterReplies::Posted::run, posted.get()) ==
        LONGSHORE_OK) {
      static_cast<void>(posted.release());
    } else {
      later_replies_.give(context.handle(), true);
    }
    // It may have been cancelled before the reply was there to be found.
    if (context.cancelled()) later_replies_.give(context.handle(), true);
  }

  Result<void> count(Context, const v1::CountRequest& request, Stream<v1::CountResponse>& stream) {
    v1::CountResponse response = first_of(request);
    for (; response.number() < request.count(); response.set_number(response.number() + 1)) {
      if (!stream.send(response)) return nobody_listens();
    }
    return {};
  }

  void count_async(Context, const v1::CountRequest& request, StreamReply<v1::CountResponse> reply) {
    std::make_shared<Counting>(request.count(), first_of(request), std::move(reply))->begin();
  }

  Result<v1::FailResponse> fail(Context, const v1::FailRequest& request) {
    if (request.by_exception()) throw std::runtime_error(request.text());
    if (request.code() == 0) return v1::FailResponse();
    if (request.code() < 0 || request.code() > static_cast<int>(StatusCode::kUnauthenticated)) {
      return Error(StatusCode::kInvalidArgument, "fail").because("there is no such status code");
    }
    return Error::of_text(static_cast<StatusCode>(request.code()), request.text());
  }

  Result<v1::ForwardResponse> forward(Context context, const v1::ForwardRequest& request) {
    if (request.method().empty()) {
      return Error(StatusCode::kInvalidArgument, "forward the request").because("to which method?");
    }
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
  static v1::CountResponse first_of(const v1::CountRequest& request) {
    v1::CountResponse response;
    response.set_payload(
        std::string(static_cast<size_t>(std::max<int64_t>(0, request.payload_bytes())), 'x'));
    return response;
  }

  std::string greeting_;
  int64_t generation_ = 0;
  CancelSignal cancel_signal_;
  LaterReplies later_replies_;
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
        .async_stream("CountAsync", &Echo::count_async)
        .unary("Fail", &Echo::fail)
        .unary("Forward", &Echo::forward)
        .unary("Describe", &Echo::describe);
    return {};
  }

  Result<std::string> stop(Context) override { return std::to_string(echo_.generation()); }

  void on_cancel(longshore_call call) override { echo_.cancel(call); }

 private:
  Echo echo_;
};

}  // namespace
}  // namespace longshore::echo

LONGSHORE_MODULE(longshore::echo::EchoModule, "longshore-echo", "0.1.0", "Longshore")
