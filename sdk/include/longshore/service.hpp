// Typed handlers for the methods of a service.
//
//   services.add("v1.Filesystem", filesystem)
//       .unary("PathExists", &FilesystemV1::path_exists)
//       .server_stream("List", &FilesystemV1::list)
//       .async("Slow", &FilesystemV1::slow)
//       .async_stream("Watch", &FilesystemV1::watch);
//
//   Result<PathExistsResponse> path_exists(Context, const PathExistsRequest&);
//   Result<void> list(Context, const ListRequest&, Stream<ListResponse>&);
//   void slow(Context, SlowRequest, Reply<SlowResponse>);
//   void watch(Context, WatchRequest, StreamReply<WatchResponse>);
//
// Each may take its request by reference or by value: to move from it, or to wipe it. The first two
// hold a thread until they return, the others answer when and where they like (stream.hpp).
//
// Versions whose messages are the same on the wire share their handlers: see also_as().
//
// A request that does not parse is answered INVALID_ARGUMENT before the handler is called, and an
// exception that leaves it INTERNAL, unless it has passed its reply on.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "longshore/context.hpp"
#include "longshore/result.hpp"
#include "longshore/stream.hpp"
#include "longshore/transparent_hash.hpp"

namespace longshore {

namespace detail {

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

using Handler = std::function<void(const Context&, std::string_view request)>;
using HandlerMap = std::unordered_map<std::string, Handler, TransparentHash, std::equal_to<>>;

}  // namespace detail

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
  ServiceBuilder(detail::HandlerMap& handlers, detail::OpenStreams& streams, std::string service,
                 Implementation& implementation)
      : handlers_(handlers),
        streams_(streams),
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

  template <typename Class, typename Argument, typename Response>
  ServiceBuilder& unary(std::string_view method,
                        Result<Response> (Class::*function)(Context, Argument)) {
    return add<Argument>(method, [object = &implementation_, function](const Context& context,
                                                                       auto& request) {
      detail::finish_unary(context, (object->*function)(context, std::forward<Argument>(request)));
    });
  }

  template <typename Class, typename Argument, typename Message>
  ServiceBuilder& server_stream(std::string_view method,
                                Result<void> (Class::*function)(Context, Argument,
                                                                Stream<Message>&)) {
    return add<Argument>(method, [object = &implementation_, function, streams = &streams_](
                                     const Context& context, auto& request) {
      Stream<Message> stream(context, *streams);
      detail::finish(context,
                     (object->*function)(context, std::forward<Argument>(request), stream));
    });
  }

  template <typename Class, typename Argument, typename Response>
  ServiceBuilder& async(std::string_view method,
                        void (Class::*function)(Context, Argument, Reply<Response>)) {
    return add<Argument>(
        method, [object = &implementation_, function](const Context& context, auto& request) {
          Reply<Response> reply(context);  // whoever has it answers, also after an exception
          detail::contain(context.host(), [&] {
            (object->*function)(context, std::forward<Argument>(request), std::move(reply));
          });
        });
  }

  template <typename Class, typename Argument, typename Message>
  ServiceBuilder& async_stream(std::string_view method,
                               void (Class::*function)(Context, Argument, StreamReply<Message>)) {
    return add<Argument>(method, [object = &implementation_, function, streams = &streams_](
                                     const Context& context, auto& request) {
      const auto stream = streams->open(context);
      StreamReply<Message> reply(stream);
      detail::contain(context.host(), [&] {
        (object->*function)(context, std::forward<Argument>(request), std::move(reply));
      });
      stream->handler_returned();
    });
  }

 private:
  // `function` may move from the request.
  template <typename Argument, typename Function>
  ServiceBuilder& add(std::string_view method, Function function) {
    for (const std::string& service : services_) {
      const std::string name = service + "/" + std::string(method);
      handlers_[name] = [name, function](const Context& context, std::string_view bytes) {
        std::remove_cvref_t<Argument> request;
        if (!request.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
          return detail::finish(context, StatusCode::kInvalidArgument,
                                "the request is not a valid message for " + name);
        }
        function(context, request);
      };
    }
    return *this;
  }

  detail::HandlerMap& handlers_;
  detail::OpenStreams& streams_;
  std::vector<std::string> services_;
  Implementation& implementation_;
};

}  // namespace longshore
