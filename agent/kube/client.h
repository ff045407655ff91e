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
// With a limit, requests and watches wait for their turn, and end at once where it would come too
// late.
//
// Threads: the context's. Owner: who asks. Requests and watches that run when the client goes
// are cancelled, and end after it.
#pragma once

#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>

#include "kube/api_access.h"
#include "kube/configuration.h"
#include "kube/request_rate.h"
#include "observe/kube_request_metrics.h"

namespace longshore::kube {

struct ClientOptions {
  size_t max_connections = 16;                       // of requests
  std::optional<RequestLimit> limit = std::nullopt;  // nothing: as many a second as are asked for
  std::shared_ptr<observe::KubeRequestMetrics> metrics = nullptr;  // null: nothing is counted
};

struct ClientParts;

class Client final : public ApiAccess {
 public:
  Client(boost::asio::io_context& io, Configuration configuration, ClientOptions options = {});
  ~Client() override;
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  std::shared_ptr<Call> request(Request request, std::function<void(Outcome)> on_done) override;
  // On a connection of its own, whatever the number of them is.
  std::shared_ptr<Call> watch(Watch watch) override;

 private:
  const std::shared_ptr<ClientParts> parts_;
};

}  // namespace longshore::kube
