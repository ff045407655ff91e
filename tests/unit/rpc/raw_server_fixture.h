// A server of ours, and a client that sends what it likes.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <memory>
#include <string>

#include "tests/unit/rpc/raw_peer.h"
#include "tests/unit/rpc/test_service.h"

namespace longshore::rpc {

struct RawServer {
  explicit RawServer(const Limits& limits = {})
      : memory(account_of(limits)),
        connection(make_server_connection(link.make_server(), service, limits, {nullptr, memory})) {
    connection->start([this](std::string why) { reason = std::move(why); });
  }
  // The same after the greetings of HTTP/2.
  static std::unique_ptr<RawServer> greeted(const Limits& limits = {}) {
    auto server = std::make_unique<RawServer>(limits);
    server->client.greet();
    server->client.receive();
    server->client.send(FrameType::kSettings, kAck, 0);
    return server;
  }
  ~RawServer() {
    connection->close();
    link.run();
  }

  boost::asio::io_context context{1};
  MemoryLink link{context};
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

  TestService service;
  std::shared_ptr<MemoryAccount> memory;
  std::shared_ptr<ServerConnection> connection;
  std::string reason;  // why the server closed
  RawPeer client{link, RawPeer::Role::kClient};
};

}  // namespace longshore::rpc
