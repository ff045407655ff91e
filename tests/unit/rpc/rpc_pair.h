// A client and a server of ours, connected in memory.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <memory>
#include <string>

#include "rpc/client.h"
#include "rpc/server.h"
#include "tests/unit/rpc/memory_link.h"
#include "tests/unit/rpc/test_service.h"

namespace longshore::rpc {

class RpcPair {
 public:
  explicit RpcPair(const Limits& server_limits = {}, const Limits& client_limits = {})
      : memory(account_of(server_limits)),
        server(
            make_server_connection(link.make_server(), service, server_limits, {nullptr, memory})),
        client(make_client_connection(link.make_client(), "localhost", client_limits)) {
    server->start([this](std::string reason) { server_closed = std::move(reason); });
    client->start([this](std::string reason) { client_closed = std::move(reason); });
  }
  ~RpcPair() {
    client->close();
    server->close();
    link.run();
  }

  std::shared_ptr<ClientRecord> call(const std::string& path, const std::string& request,
                                     ClientCallOptions options = {}) {
    auto record = std::make_shared<ClientRecord>();
    options.path = path;
    last_call = client->call(std::move(options), request, record);
    return record;
  }

  // Calls and runs until nothing is left to do.
  std::shared_ptr<ClientRecord> finish_call(const std::string& path, const std::string& request,
                                            ClientCallOptions options = {}) {
    auto record = call(path, request, std::move(options));
    link.run();
    return record;
  }

  // For what needs time to pass: runs until `done` answers true, at most 30 seconds.
  template <typename Done>
  bool run_until(Done done) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    context.restart();
    while (!done() && std::chrono::steady_clock::now() < end) {
      context.run_one_until(end);
      if (context.stopped()) context.restart();
    }
    return done();
  }

  boost::asio::io_context context{1};
  MemoryLink link{context};
  TestService service;
  std::shared_ptr<MemoryAccount> memory;  // the server's
  std::shared_ptr<ServerConnection> server;
  std::shared_ptr<ClientConnection> client;
  std::shared_ptr<ClientCall> last_call;
  std::string server_closed;  // the reason
  std::string client_closed;
};

}  // namespace longshore::rpc
