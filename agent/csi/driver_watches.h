// The CSI drivers that somebody waits for: one watch for each, however many calls and controllers
// follow it. It ends when nobody does.
//
// Threads: as each function says. Owner: the service, which runs the thread.
#pragma once

#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "config/settings.h"
#include "csi/driver_watch.h"
#include "longshore/result.hpp"
#include "router/call.h"
#include "services/module_state.h"
#include "services/named_conditions.h"
#include "services/run_condition.h"
#include "services/state_streams.h"

namespace longshore::csi {

class DriverWatches {
 public:
  static constexpr size_t kMaxWatches = 16;  // that calls may begin

  struct Parts {
    std::shared_ptr<observe::CsiCallMetrics> metrics;
    // That of all calls of this driver.
    std::function<std::shared_ptr<DriverConnection>(const std::string& path)> connection;
    // Of the agent; null: none. [the service's thread]
    std::function<observe::Log*()> log;
    // Runs it on the service's thread; an error: there is none. [any]
    std::function<Result<void>(std::function<void()>)> post;
  };

  DriverWatches(boost::asio::io_context& io, Parts parts) : io_(io), parts_(std::move(parts)) {}

  // A call that is to be sent the driver's states. [any]
  Result<void> follow(router::Call& call, const std::string& path);
  // As Target::on_writable and Target::on_end, of such calls.
  void resume(router::Call& call) { streams_.resume(call); }
  void remove(router::Call& call);

  // The same for all controllers that wait for the driver; null: this one waits for none. [any]
  std::shared_ptr<services::RunCondition> condition(const config::ModuleSettings& controller);
  // Forgets what those waited for that are gone. [any]
  void modules_changed(const services::ModuleStates& modules);

  // All of them, and the calls that follow them. [the service's thread]
  void end();

 private:
  // These run on the service's thread.
  DriverWatch& watch(const std::string& path);
  void add(const std::shared_ptr<router::Call>& call, const std::string& path);
  void end_unfollowed();
  void tell(const std::string& path, const DriverWatch::State& state);
  void tell_condition(const std::string& path, const DriverWatch::State& state);
  std::shared_ptr<services::RunCondition> condition_of(const std::string& path);

  boost::asio::io_context& io_;
  const Parts parts_;
  services::StateStreams streams_{{}};                           // by path
  std::map<std::string, std::shared_ptr<DriverWatch>> watches_;  // by path

  std::mutex mutex_;
  services::NamedConditions<std::string> conditions_;  // by path
};

}  // namespace longshore::csi
