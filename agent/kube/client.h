// Asks a Kubernetes API server: requests in HTTP/1.1 over connections that are kept.
//
//   Client client(io, *std::move(configuration));
//   const auto call = client.request({.path = "/version", .deadline = ...}, [](Outcome outcome) {
//     if (outcome) use(outcome.response().body);
//   });
//   io.run();
//
// Nothing is tried twice, but for a GET on a kept connection that the server closes without an
// answer: that is made again on a fresh one, once. Retry-After is told, and whoever asks waits.
//
// Threads: the context's. Owner: who asks. Requests that run when the client goes are cancelled,
// and end after it.
#pragma once

#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <functional>
#include <memory>

#include "kube/api_error.h"
#include "kube/configuration.h"
#include "kube/request.h"

namespace longshore::kube {

struct ClientOptions {
  size_t max_connections = 16;
};

// A request that was made. Who lets go of it does not cancel it.
class Call {
 public:
  virtual ~Call() = default;
  // It ends with CANCELLED, unless it has ended. What the server was asked for may be done.
  virtual void cancel() = 0;
};

class Client {
 public:
  Client(boost::asio::io_context& io, Configuration configuration, ClientOptions options = {});
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // `on_done` is called once, later.
  std::shared_ptr<Call> request(Request request, std::function<void(Outcome)> on_done);

 private:
  class RunningCall;
  struct Parts;

  const std::shared_ptr<Parts> parts_;
};

}  // namespace longshore::kube
