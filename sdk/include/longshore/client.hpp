// Calls that a module makes without waiting: of other modules or of the agent's host services, in
// the course of a call or of its own, from `start` on.
//
//   Client client(host());
//   client.call<ListDiskIDsResponse>("v1.Disk/ListDiskIDs", request, {}, [](auto response) {...});
//   watch_ = client.stream<WatchResponse>("acme.shelf.v1.Shelf/Watch", request, {},
//                                         [this](const WatchResponse& event) {...},
//                                         [this](const Result<void>& end) {...});
//
// Neither holds a thread. Functions run as [completion]s: they must not block, and those of one
// instance come one after the other. What the instance may call is `may_call` in the configuration.
// Threads: any. Owner: cheap to copy, owns nothing.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "longshore/abi.h"
#include "longshore/context.hpp"
#include "longshore/result.hpp"

namespace longshore {

// How a call is made.
struct ClientOptions {
  // The call that it is part of, which it then ends with; 0: the instance's own.
  longshore_call parent = 0;
  // Until its deadline; none: the method's own. nanoseconds::max() asks for no deadline, which
  // methods that are long_running grant.
  std::optional<std::chrono::nanoseconds> timeout = {};
  // Messages of a stream that may be on their way at once.
  uint32_t credit = 8;
};

// A stream that is read. Ended when this is destroyed or `cancel`led; no function of it runs
// afterwards, nor is running, unless that is where it is cancelled.
class Subscription {
 public:
  Subscription() = default;
  Subscription(Subscription&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
  Subscription& operator=(Subscription&& other) noexcept {
    if (this != &other) {
      cancel();
      state_ = std::exchange(other.state_, nullptr);
    }
    return *this;
  }
  ~Subscription() { cancel(); }

  void cancel() {
    const auto state = std::exchange(state_, nullptr);
    if (!state) return;
    longshore_invocation invocation = 0;
    {
      const std::lock_guard lock(state->mutex);
      if (state->is_closed) return;
      state->is_closed = true;
      invocation = state->invocation;
    }
    if (invocation != 0) state->host->cancel(state->host, invocation);
  }

 private:
  friend class Client;
  struct State {
    const longshore_host* host = nullptr;
    // Held while a function runs, so that `cancel` waits for it; recursive for one from within.
    std::recursive_mutex mutex;
    longshore_invocation invocation = 0;
    bool is_closed = false;
    std::function<bool(std::string_view)> on_message;  // false: it is no such message
    std::function<void(const Result<void>&)> on_end;

    void end(const Result<void>& outcome) const {
      detail::contain(host, [&] { on_end(outcome); });
    }
  };
  std::shared_ptr<State> state_;
};

class Client {
 public:
  // `host` is Module::host().
  explicit Client(const longshore_host* host) : host_(host) {}

  // Calls a unary method; `done` is called once, perhaps before this returns.
  template <typename Response, typename Request>
  void call(std::string_view method, const Request& request, const ClientOptions& options,
            std::function<void(Result<Response>)> done) const {
    auto pending = std::make_unique<Pending>();
    pending->host = host_;
    pending->done = [done = std::move(done),
                     name = std::string(method)](Result<std::string> bytes) {
      if (!bytes) return done(std::move(bytes).error());
      Response response;
      if (!response.ParseFromString(*bytes)) {
        return done(Error(StatusCode::kInternal, "read the response of", name));
      }
      done(std::move(response));
    };
    longshore_invoke_request call{};
    call.credit = 1;
    call.user = pending.get();
    call.on_message = &Pending::on_message;
    call.on_finish = &Pending::on_finish;
    longshore_invocation invocation = 0;
    const auto answer = begin(call, method, request, options, invocation);
    if (answer == LONGSHORE_OK) {
      static_cast<void>(pending.release());  // on_finish frees it
    } else {
      pending->done(refusal(answer, method));
    }
  }

  // Reads a server stream; a unary method is one of a single message. `on_end` is called once,
  // unless the subscription is cancelled; its error says why the stream ended.
  template <typename Message, typename Request>
  [[nodiscard]] Subscription stream(std::string_view method, const Request& request,
                                    const ClientOptions& options,
                                    std::function<void(const Message&)> on_message,
                                    std::function<void(const Result<void>&)> on_end) const {
    Subscription subscription;
    subscription.state_ = std::make_shared<Subscription::State>();
    const auto& state = subscription.state_;
    state->host = host_;
    state->on_end = std::move(on_end);
    state->on_message = [on_message = std::move(on_message)](std::string_view bytes) {
      Message message;
      if (!message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return false;
      on_message(message);
      return true;
    };
    longshore_invoke_request call{};
    call.credit = options.credit;
    auto* const shared = new std::shared_ptr<Subscription::State>(state);  // on_finish frees it
    call.user = shared;
    call.on_message = &on_stream_message;
    call.on_finish = &on_stream_finish;
    // Held, so that completions that come at once find the invocation's handle.
    const std::lock_guard lock(state->mutex);
    const auto answer = begin(call, method, request, options, state->invocation);
    if (answer != LONGSHORE_OK) {
      delete shared;
      state->is_closed = true;
      state->end(refusal(answer, method));
    }
    return subscription;
  }

 private:
  struct Pending {
    const longshore_host* host = nullptr;
    std::function<void(Result<std::string>)> done;
    std::string message;

    static void on_message(void* user, longshore_invocation, longshore_bytes message) noexcept {
      static_cast<Pending*>(user)->message.assign(to_view(message));
    }
    static void on_finish(void* user, longshore_invocation, longshore_status_code code,
                          longshore_bytes text) noexcept {
      const std::unique_ptr<Pending> self(static_cast<Pending*>(user));
      detail::contain(self->host, [&] {
        if (code == 0) return self->done(std::move(self->message));
        self->done(Error::of_text(static_cast<StatusCode>(code), std::string(to_view(text))));
      });
    }
  };

  static void on_stream_message(void* user, longshore_invocation invocation,
                                longshore_bytes message) noexcept {
    Subscription::State& state = **static_cast<std::shared_ptr<Subscription::State>*>(user);
    const std::lock_guard lock(state.mutex);
    if (state.is_closed) return;
    bool is_read = true;
    detail::contain(state.host, [&] { is_read = state.on_message(to_view(message)); });
    if (is_read) {
      if (!state.is_closed) state.host->grant(state.host, invocation, 1);
      return;
    }
    state.is_closed = true;
    state.host->cancel(state.host, invocation);
    state.end(Error(StatusCode::kInternal, "read a message of a stream"));
  }

  static void on_stream_finish(void* user, longshore_invocation, longshore_status_code code,
                               longshore_bytes text) noexcept {
    const std::unique_ptr<std::shared_ptr<Subscription::State>> shared(
        static_cast<std::shared_ptr<Subscription::State>*>(user));
    Subscription::State& state = **shared;
    const std::lock_guard lock(state.mutex);
    if (std::exchange(state.is_closed, true)) return;
    if (code == 0) return state.end({});
    state.end(Error::of_text(static_cast<StatusCode>(code), std::string(to_view(text))));
  }

  // Invokes; `call` has what to do with the messages.
  template <typename Request>
  longshore_result begin(longshore_invoke_request call, std::string_view method,
                         const Request& request, const ClientOptions& options,
                         longshore_invocation& invocation) const {
    const std::string bytes = request.SerializeAsString();
    call.struct_size = sizeof(call);
    call.parent = options.parent;
    call.timeout_ns = options.timeout ? options.timeout->count() : 0;
    call.method = to_bytes(method);
    call.request = to_bytes(bytes);
    return host_->invoke(host_, &call, &invocation);
  }

  static Error refusal(longshore_result answer, std::string_view method) {
    return Error(StatusCode::kCancelled, "call", std::string(method))
        .because(answer == LONGSHORE_STALE ? "the call that it belongs to is over"
                                           : "the instance is stopped");
  }

  const longshore_host* host_;
};

}  // namespace longshore
