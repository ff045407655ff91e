// A Unix socket on which a module of the agent's serves gRPC, and its clients.
//
//   made ──listen──► listening ──somebody removes the file──► lost ──listen──► listening
//                        └──close──► closed: no file, no clients
//
//   a client's call: its request comes ──► told (on_call) ──► answered, by whoever has its stream
//                                             └──the client goes, or its time is over──► given up
//
// The socket's mode is 0600 before anybody can connect. Clients stay as long as they like, without
// pings; what each holds is bounded, and so is how many there are.
//
// Threads: the I/O context's. Owner: the service, by shared pointer, and what is under way.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <system_error>

#include "endpoint/listener.h"
#include "longshore/result.hpp"
#include "observe/rate_limited_log.h"
#include "rpc/server.h"

namespace longshore {

class ServedSocket final : public rpc::ServiceHandler,
                           public std::enable_shared_from_this<ServedSocket> {
 public:
  static constexpr size_t kMaxConnections = 16;
  static constexpr size_t kMaxMessageBytes = 64u << 10;

  // What a client has called, whose answer goes to the stream.
  struct ClientCall {
    std::string method;
    std::string message;
    std::shared_ptr<rpc::ServerStream> stream;
  };
  struct Options {
    std::string path;
    std::set<std::string, std::less<>> methods;
    // Its number; 0: it has been answered already.
    std::function<uint64_t(ClientCall call)> on_call;
    // Nobody waits for it any more. False: it has been answered.
    std::function<bool(uint64_t id)> give_up;
  };

  ServedSocket(boost::asio::io_context& io, observe::Log& log, Options options);

  const std::string& path() const { return options_.path; }

  // Makes the socket, or makes it anew; clients stay connected.
  Result<void> listen();
  bool is_listening() const { return listener_ != nullptr; }
  // An error where nobody finds it any more. Only while it listens.
  Result<void> check_place() const { return listener_->check_place(); }
  // Removes the file if it is still this one, and ends all connections. Twice is harmless.
  void close();

  std::unique_ptr<rpc::ServerCallHandler> start_call(
      const rpc::CallHead& head, std::shared_ptr<rpc::ServerStream> stream) override;

 private:
  class Call;

  void accept();
  void accept_later(const std::error_code& error);
  // `last` is told of whom the system has let in already, unless it is empty.
  void stop_accepting(const endpoint::Listener::OnClient& last);
  void welcome(endpoint::Client client);
  void serve(endpoint::Client client);

  boost::asio::io_context& io_;
  const Options options_;
  observe::RateLimitedLog failures_;
  boost::asio::steady_timer pause_;               // after an accept that failed
  std::unique_ptr<endpoint::Listener> listener_;  // null: it does not listen
  uint64_t turn_ = 0;                             // grows each time that it stops
  bool is_closed_ = false;
  std::map<const rpc::ServerConnection*, std::shared_ptr<rpc::ServerConnection>> connections_;
};

}  // namespace longshore
