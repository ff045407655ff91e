// A connection to the agent, for a program that does one thing after the other. An agent that is
// being replaced takes no more calls on it; what it did not see is asked of its successor.
//
// Threads: the caller's only; each function runs the connection until it is done.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "longshore/result.hpp"
#include "rpc/client.h"

namespace longshore::ctl {

class AgentClient {
 public:
  // The error says what may be the matter when nobody answers at the socket.
  static Result<std::unique_ptr<AgentClient>> connect(const std::string& socket,
                                                      std::chrono::nanoseconds timeout);
  AgentClient(const AgentClient&) = delete;
  AgentClient& operator=(const AgentClient&) = delete;
  ~AgentClient();

  using OnMessage = std::function<void(std::string)>;

  // One request ("v1.Filesystem/Mkdir"); `on_message` gets each answer as it comes.
  Result<void> call(const std::string& method, const std::string& request,
                    const OnMessage& on_message);

  // A bidirectional call of one request; answers the one answer.
  Result<std::string> ask(const std::string& method, const std::string& request);

  // Whether nobody listens any more, or who does closed the connection before anything was answered
  // and does not want us.
  bool is_out_of_reach() const { return turned_away_ || !connection_; }

 private:
  AgentClient(std::string socket, std::chrono::nanoseconds timeout)
      : socket_(std::move(socket)), timeout_(timeout) {}
  class Answers;
  using Start = std::function<std::shared_ptr<rpc::ClientCall>(std::shared_ptr<Answers>)>;
  Result<void> open_connection();
  void close_connection();
  Result<void> run(const Start& start, const OnMessage& on_message);
  Result<void> wait_for(Answers& answers);
  rpc::ClientCallOptions options_for(const std::string& method) const;

  boost::asio::io_context context_{1};
  std::shared_ptr<rpc::ClientConnection> connection_;
  const std::string socket_;
  const std::chrono::nanoseconds timeout_;
  std::shared_ptr<bool> closed_;  // the connection
  bool answered_ = false;         // somebody, at least once
  bool turned_away_ = false;      // the connection was closed before that
};

}  // namespace longshore::ctl
