// Typed handlers for the methods of a service.
//
//   services.add("v1.Filesystem", filesystem)
//       .unary("PathExists", &FilesystemV1::path_exists)
//       .server_stream("Watch", &FilesystemV1::watch)
//       .async("Slow", &FilesystemV1::slow);
//
//   Result<PathExistsResponse> path_exists(Context, const PathExistsRequest&);
//   Result<void> watch(Context, const WatchRequest&, Stream<WatchResponse>&);
//   void slow(Context, SlowRequest, Reply<SlowResponse>);
//
// Versions whose messages are the same on the wire share their handlers: see also_as().
//
// A request that does not parse is answered INVALID_ARGUMENT before the handler is called, and an
// exception that leaves it INTERNAL.
#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "longshore/context.hpp"
#include "longshore/transparent_hash.hpp"

namespace longshore {

namespace detail {

inline void finish(const Context& context, StatusCode code, std::string_view text) {
  context.host()->finish(context.host(), context.handle(), static_cast<int32_t>(code),
                         to_bytes(text));
}

inline void finish(const Context& context, const Result<void>& result) {
  if (result) {
    finish(context, StatusCode::kOk, {});
  } else {
    finish(context, result.error().code(), result.error().message());
  }
}

template <typename Response>
longshore_result send(const Context& context, const Response& response) {
  const std::string bytes = response.SerializeAsString();
  return context.host()->send(context.host(), context.handle(), to_bytes(bytes));
}

template <typename Response>
void finish_unary(const Context& context, const Result<Response>& result) {
  if (!result) return finish(context, result.error().code(), result.error().message());
  send(context, *result);
  finish(context, StatusCode::kOk, {});
}

// Wakes handlers that wait for credit. One for all streams of an instance: waiting is rare.
class CreditGate {
 public:
  // Sends as soon as there is credit; CANCELLED or STALE when nobody listens any more.
  longshore_result send(const Context& context, longshore_bytes message) {
    for (;;) {
      uint64_t seen = 0;
      {
        const std::lock_guard lock(mutex_);
        seen = changes_;
      }
      const auto answer = context.host()->send(context.host(), context.handle(), message);
      if (answer != LONGSHORE_WOULD_BLOCK) return answer;
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return changes_ != seen; });
    }
  }

  // Called for `writable` and for `cancel`.
  void open() {
    const std::lock_guard lock(mutex_);
    ++changes_;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  uint64_t changes_ = 0;
};

using Handler = std::function<void(const Context&, std::string_view request)>;
using HandlerMap = std::unordered_map<std::string, Handler, TransparentHash, std::equal_to<>>;

}  // namespace detail

// The messages of a server stream. Valid while the handler runs.
template <typename Message>
class Stream {
 public:
  Stream(Context context, detail::CreditGate& gate) : context_(context), gate_(gate) {}

  // Waits while the reader has no room. False: nobody listens any more, so return.
  bool send(const Message& message) {
    const std::string bytes = message.SerializeAsString();
    return gate_.send(context_, to_bytes(bytes)) == LONGSHORE_OK;
  }

 private:
  Context context_;
  detail::CreditGate& gate_;
};

// The answer of an asynchronous handler: given once, on any thread. Dropped without an answer it
// finishes the call with INTERNAL, so that no caller waits for ever.
template <typename Response>
class Reply {
 public:
  explicit Reply(Context context) : context_(context) {}
  Reply(Reply&& other) noexcept
      : context_(other.context_), open_(std::exchange(other.open_, false)) {}
  Reply& operator=(Reply&&) = delete;
  ~Reply() {
    if (open_) detail::finish(context_, StatusCode::kInternal, "the module gave no answer");
  }

  void operator()(const Result<Response>& result) {
    if (std::exchange(open_, false)) detail::finish_unary(context_, result);
  }

 private:
  Context context_;
  bool open_ = true;
};

// Registers the methods of one service, or of several that share them, with one object, which must
// outlive the instance's calls.
template <typename Implementation>
class ServiceBuilder {
 public:
  ServiceBuilder(detail::HandlerMap& handlers, detail::CreditGate& gate, std::string service,
                 Implementation& implementation)
      : handlers_(handlers),
        gate_(gate),
        services_{std::move(service)},
        implementation_(implementation) {}

  // The methods that follow are this service's too, as in a version whose messages have other names
  // and the same fields. So what only the newer version has comes first:
  //
  //   services.add("v2.Filesystem", filesystem)
  //       .unary("Watch", &FilesystemV2::watch)
  //       .also_as("v1.Filesystem")
  //       .unary("PathExists", &FilesystemV2::path_exists);
  //
  // Nothing checks that the fields are the same: a test should.
  ServiceBuilder& also_as(std::string service) {
    services_.push_back(std::move(service));
    return *this;
  }

  template <typename Class, typename Request, typename Response>
  ServiceBuilder& unary(std::string_view method,
                        Result<Response> (Class::*function)(Context, const Request&)) {
    return add<Request>(
        method, [object = &implementation_, function](const Context& context, Request&& request) {
          detail::finish_unary(context, (object->*function)(context, request));
        });
  }

  // The same for a handler that takes the request by value: to move from it, or to wipe it.
  template <typename Class, typename Request, typename Response>
  ServiceBuilder& unary(std::string_view method,
                        Result<Response> (Class::*function)(Context, Request)) {
    return add<Request>(
        method, [object = &implementation_, function](const Context& context, Request&& request) {
          detail::finish_unary(context, (object->*function)(context, std::move(request)));
        });
  }

  template <typename Class, typename Request, typename Response>
  ServiceBuilder& server_stream(std::string_view method,
                                Result<void> (Class::*function)(Context, const Request&,
                                                                Stream<Response>&)) {
    return add<Request>(method, [object = &implementation_, function, gate = &gate_](
                                    const Context& context, Request&& request) {
      Stream<Response> stream(context, *gate);
      detail::finish(context, (object->*function)(context, request, stream));
    });
  }

  template <typename Class, typename Request, typename Response>
  ServiceBuilder& async(std::string_view method,
                        void (Class::*function)(Context, Request, Reply<Response>)) {
    return add<Request>(
        method, [object = &implementation_, function](const Context& context, Request&& request) {
          (object->*function)(context, std::move(request), Reply<Response>(context));
        });
  }

 private:
  template <typename Request, typename Function>
  ServiceBuilder& add(std::string_view method, Function function) {
    for (const std::string& service : services_) {
      const std::string name = service + "/" + std::string(method);
      handlers_[name] = [name, function](const Context& context, std::string_view bytes) {
        Request request;
        if (!request.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
          return detail::finish(context, StatusCode::kInvalidArgument,
                                "the request is not a valid message for " + name);
        }
        function(context, std::move(request));
      };
    }
    return *this;
  }

  detail::HandlerMap& handlers_;
  detail::CreditGate& gate_;
  std::vector<std::string> services_;
  Implementation& implementation_;
};

}  // namespace longshore
