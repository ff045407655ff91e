// The connection to one CSI driver: made when it is needed, and anew when it is lost, as often as
// that takes.
//
//   idle ──a call──► connecting ──► connected ──lost, or told to go──► idle
//                        └──refused──► pausing ──its time──► idle
//
// While it pauses calls fail at once, of what the last attempt failed of. A pause is 50 ms at
// first, then twice as long each time, up to a second. No keep-alive pings are sent: grpc-go, which
// drivers are made of, answers them with GOAWAY.
//
// Threads: the service's. Owner: the service, or the one call that has a connection of its own.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "csi/driver_call.h"
#include "longshore/result.hpp"
#include "rpc/client.h"

namespace longshore::csi {

class DriverConnection : public std::enable_shared_from_this<DriverConnection> {
 public:
  static constexpr size_t kMaxMessageBytes = 16u << 20;  // of requests and of responses

  // Hears when there is a connection, whoever made it necessary, and when that has ended.
  class Observer {
   public:
    virtual ~Observer() = default;
    // Calls that wait for it are begun after this.
    virtual void on_connected() = 0;
    virtual void on_closed(const std::string& reason) = 0;
  };

  DriverConnection(boost::asio::io_context& io, std::string path);

  // Makes the call, once there is a connection.
  void call(const std::shared_ptr<DriverCall>& call);
  bool is_connected() const { return connection_ && connection_->accepts_calls(); }
  // One; it replaces the one before.
  void observe(std::weak_ptr<Observer> observer) { observer_ = std::move(observer); }
  // For good. What still runs ends with UNAVAILABLE.
  void close();

 private:
  using Local = boost::asio::local::stream_protocol;

  void connect();
  void on_connected(Local::socket& socket, const boost::system::error_code& error);
  void begin(const std::shared_ptr<DriverCall>& call);

  boost::asio::io_context& io_;
  const std::string path_;
  std::shared_ptr<rpc::ClientConnection> connection_;  // null: there has been none yet
  std::weak_ptr<Observer> observer_;
  bool is_connecting_ = false;
  bool is_closed_ = false;
  std::vector<std::shared_ptr<DriverCall>> waiting_;  // until it is connected
  std::optional<Error> failure_;                      // of the last attempt
  std::chrono::steady_clock::time_point paused_until_{};
  std::chrono::milliseconds pause_{};
};

}  // namespace longshore::csi
