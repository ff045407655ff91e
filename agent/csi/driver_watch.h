// What becomes of one CSI driver, for those who wait for it.
//
//   absent ──it listens──► connected ──Probe says ready──► ready
//     ▲                      │    ▲                          │ the connection ends
//     └─the connection ends──┘    └──────it listens──────── lost
//
// It connects again a second after a failure or a loss. A driver that is not ready is asked again
// after a second, then after twice as long each time. One that is ready is left in peace. The log
// hears of the waiting.
//
// Threads: the service's. Owner: the watches of the service.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "csi/driver_call.h"
#include "csi/driver_connection.h"
#include "csi/driver_wait_log.h"
#include "longshore/host/csi.pb.h"
#include "longshore/result.hpp"
#include "observe/csi_call_metrics.h"

namespace longshore::csi {

class DriverWatch final : public DriverConnection::Observer,
                          public std::enable_shared_from_this<DriverWatch> {
 public:
  using State = host::v1::CsiDriverState;

  static constexpr std::chrono::seconds kFirstPause{1};
  static constexpr std::chrono::seconds kLongestPause{10};
  static constexpr std::chrono::seconds kProbeTimeout{3};

  struct Parts {
    std::string path;  // of the driver's socket
    std::shared_ptr<DriverConnection> connection;
    std::shared_ptr<observe::CsiCallMetrics> metrics;
    observe::Log* log = nullptr;             // null: none
    std::function<void(const State&)> tell;  // of each change, from `start` on
  };

  DriverWatch(boost::asio::io_context& io, Parts parts)
      : timer_(io), parts_(std::move(parts)), wait_log_(parts_.log, parts_.path) {}

  void start();
  // Nothing is told any more.
  void end();
  // Unspecified until it has been told of.
  const State& state() const { return state_; }

  // DriverConnection::Observer
  void on_connected() override;
  void on_closed(const std::string& reason) override;

 private:
  void look();
  void look_after(std::chrono::seconds pause);
  void on_answer(const Result<std::string>& answer);
  void become(State::State state, std::string reason = {});
  // The same of one that is not ready, which is waited for.
  void become_missed(State::State state, std::string reason);
  std::string driver() const { return "the CSI driver at \"" + parts_.path + '"'; }

  boost::asio::steady_timer timer_;
  const Parts parts_;
  DriverWaitLog wait_log_;
  State state_;
  bool is_connected_ = false;
  bool is_ended_ = false;
  std::shared_ptr<DriverCall> probe_;  // that is under way
  std::chrono::seconds pause_ = kFirstPause;
};

}  // namespace longshore::csi
