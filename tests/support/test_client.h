// A gRPC client for tests that waits for its answers: agent/rpc's client on a Unix socket or a
// named pipe.
//
// Threads: one. It works only while a function of it runs, so several calls can be in flight.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rpc/client.h"

namespace longshore::test {

// What came of a call, as far as it has come.
struct Answer final : rpc::ClientCallHandler {
  void on_message(std::string message) override { messages.push_back(std::move(message)); }
  void on_finish(rpc::Outcome result) override { outcome = std::move(result); }

  bool finished() const { return outcome.has_value(); }
  StatusCode code() const { return outcome.value().code; }
  const std::string& text() const { return outcome.value().text; }

  std::vector<std::string> messages;
  std::optional<rpc::Outcome> outcome;
  std::shared_ptr<rpc::ClientCall> call;
};

class TestClient {
 public:
  // Throws when nobody listens.
  explicit TestClient(const std::string& socket);
  ~TestClient();
  TestClient(const TestClient&) = delete;
  TestClient& operator=(const TestClient&) = delete;

  // Begins a call of "v1.Filesystem/PathExists"; the path of the options is filled in.
  std::shared_ptr<Answer> start(const std::string& method, std::string request,
                                rpc::ClientCallOptions options = {});
  // A bidirectional one, whose requests follow by `call->send`.
  std::shared_ptr<Answer> open(const std::string& method);

  // Begins a call and waits for its end; throws when it does not come.
  std::shared_ptr<Answer> call(const std::string& method, std::string request,
                               rpc::ClientCallOptions options = {});

  // Works until `done`; false when that does not come true in time.
  bool run_until(const std::function<bool()>& done,
                 std::chrono::nanoseconds time = std::chrono::seconds(60));

  // Takes in what has come until now.
  void catch_up();

  // Ends the connection. An agent that is stopped asks each client to go, and waits for it for two
  // seconds: this one hears of that only while a function of it runs.
  void close();

  bool closed() const { return *closed_; }
  // False also once the server has said that it takes no more on this connection.
  bool accepts_calls() const { return connection_->accepts_calls(); }

 private:
  boost::asio::io_context context_{1};
  const std::shared_ptr<bool> closed_ = std::make_shared<bool>(false);
  std::shared_ptr<rpc::ClientConnection> connection_;
};

inline rpc::ClientCallOptions with_timeout(std::chrono::nanoseconds timeout) {
  rpc::ClientCallOptions options;
  options.timeout = timeout;
  return options;
}

}  // namespace longshore::test
