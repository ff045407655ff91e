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
#include <vector>

#include "csi/driver_call.h"
#include "longshore/result.hpp"
#include "rpc/client.h"

namespace longshore::csi {

class DriverConnection : public std::enable_shared_from_this<DriverConnection> {
 public:
  static constexpr size_t kMaxMessageBytes = 16u << 20;  // of requests and of responses

  DriverConnection(boost::asio::io_context& io, std::string path);

  // Makes the call, once there is a connection.
  void call(const std::shared_ptr<DriverCall>& call);
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
  bool is_connecting_ = false;
  bool is_closed_ = false;
  std::vector<std::shared_ptr<DriverCall>> waiting_;  // until it is connected
  std::optional<Error> failure_;                      // of the last attempt
  std::chrono::steady_clock::time_point paused_until_{};
  std::chrono::milliseconds pause_{};
};

}  // namespace longshore::csi
