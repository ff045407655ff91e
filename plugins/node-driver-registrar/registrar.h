// Registers a CSI driver with the kubelet: asks the driver for its name, serves the registration
// socket, and answers the kubelet there and on /healthz. What is done when: registration.h.
//
// The driver is asked each time on a connection of its own, every 10 seconds, and every second
// while it is gone.
//
// Threads: `start` and `stop` the module's control; the rest one function at a time, on threads of
// the instance's. Owner: the module.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "longshore/client.hpp"
#include "longshore/host/csi.pb.h"
#include "longshore/host/endpoint.pb.h"
#include "longshore/host/http.pb.h"
#include "longshore/timer.hpp"
#include "longshore/watch.hpp"
#include "registration.h"
#include "serial_tasks.h"

namespace longshore::node_driver_registrar {

class Registrar {
 public:
  static constexpr std::chrono::seconds kAskAgain{10};
  static constexpr std::chrono::seconds kAskSoon{1};    // where the driver is gone
  static constexpr std::chrono::seconds kLogAgain{30};  // that it is waited for

  struct Options {
    std::string csi_address;
    std::string kubelet_path;  // of the driver's socket, as the kubelet finds it
    std::string folder;        // of registration sockets, without a slash at its end
    std::chrono::nanoseconds timeout{};
    OptionNames names;
    std::string http_address;  // empty: there is no page
    std::function<void(longshore_log_level level, std::string_view text)> log;
    std::function<void(std::string_view reason)> set_degraded;
  };

  // `host` is Module::host().
  Registrar(const longshore_host* host, Options options);

  void start();
  void stop();

 private:
  // Runs it alone, and then does what is to be done.
  void run(std::function<void()> task);
  void apply();
  // What makes the controller degraded is logged by the agent.
  void tell();

  void ask_driver();
  void hear_driver(const Result<host::v1::CsiCallResponse>& answer);
  void wait_for_driver(const std::string& trouble);
  void serve();
  void hear_socket(uint64_t turn, const host::v1::EndpointEvent& event);
  void answer_info(uint64_t id) const;
  void hear_status(const host::v1::EndpointEvent& call);
  void respond(uint64_t id, StatusCode code, const std::string& text,
               const std::string& message) const;
  void hear_page(const host::v1::HttpEvent& event) const;
  void log_failure(const Error& error) const;

  const Options options_;
  const Client client_;
  Registration registration_;
  uint64_t served_turn_ = 0;
  std::chrono::seconds waited_{0};  // for a driver that is gone
  std::string page_trouble_;
  std::string told_trouble_;
  bool told_registered_ = false;
  SerialTasks tasks_;
  // After what they use: they are ended first.
  Timer ask_timer_;
  Timer alarm_;
  Subscription socket_;
  Watch page_;
};

}  // namespace longshore::node_driver_registrar
