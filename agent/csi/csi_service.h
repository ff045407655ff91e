// longshore.host.v1.Csi: calls of CSI drivers for controllers, and when these may run that wait for
// a driver. See the proto.
//
// Threads: any; nothing here blocks. One thread of its own, from the first call or condition on,
// does all that concerns drivers. Owner: the host services; calls share it.
#pragma once

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "csi/driver_connection.h"
#include "csi/driver_watches.h"
#include "longshore/result.hpp"
#include "observe/csi_call_metrics.h"
#include "services/host_service_target.h"

namespace longshore::csi {

class CsiService final : public services::HostServiceTarget {
 public:
  static constexpr size_t kMaxCalls = 256;       // that are under way
  static constexpr size_t kMaxConnections = 16;  // that are shared
  static constexpr std::chrono::seconds kNameTimeout{3};

  static Result<std::shared_ptr<CsiService>> make();
  using HostServiceTarget::HostServiceTarget;
  ~CsiService() override { CsiService::stop(); }

  bool for_modules() const override { return true; }
  void start(router::Timers&, observe::Log& log, const services::CurrentConfiguration&) override {
    log_ = &log;
  }
  void add_to(observe::StatusReport& report) const override { report.csi_calls = metrics_->all(); }
  // Ends the thread; no call is made from then on. Twice is harmless.
  void stop() override;
  void on_cancel(router::Call& call) override;
  void on_writable(router::Call& call) override { watches_.resume(call); }
  void on_end(router::Call& call) override;

  // What the driver calls itself. `on_name` is called once, here or on the service's thread, or not
  // at all when the service ends. [any]
  void ask_name(const std::string& address, std::function<void(Result<std::string>)> on_name);

  std::shared_ptr<services::RunCondition> run_condition(
      const config::ModuleSettings& controller) override {
    return watches_.condition(controller);
  }
  void modules_changed(const services::ModuleStates& modules) override {
    watches_.modules_changed(modules);
  }

 private:
  // Takes the call in: from then on it is the thread's.
  Result<void> begin(router::Call& call) override;
  Result<void> begin_call(router::Call& call);
  Result<void> begin_watch(router::Call& call);
  Result<void> add(uint64_t handle, std::shared_ptr<DriverCall> call);
  Result<void> post(std::function<void()> function);
  // With the lock.
  Result<void> begin_thread();
  // These run on the thread.
  void connect(uint64_t handle, const std::shared_ptr<DriverCall>& call);
  Result<std::shared_ptr<DriverConnection>> shared_connection(const std::string& path);
  // However many there are.
  std::shared_ptr<DriverConnection> watched_connection(const std::string& path);

  const std::shared_ptr<observe::CsiCallMetrics> metrics_ =
      std::make_shared<observe::CsiCallMetrics>();
  boost::asio::io_context io_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> more_to_do_{
      io_.get_executor()};
  // By path; each call that is under way holds its own too, and so does each watch.
  std::map<std::string, std::shared_ptr<DriverConnection>> connections_;

  observe::Log* log_ = nullptr;  // set before the thread begins; null: the service is not started
  DriverWatches watches_{
      io_,
      {.metrics = metrics_,
       .connection = [this](const std::string& path) { return watched_connection(path); },
       .log = [this] { return log_; },
       .post = [this](std::function<void()> function) { return post(std::move(function)); }}};

  std::mutex mutex_;
  bool is_stopped_ = false;
  std::map<uint64_t, std::shared_ptr<DriverCall>> calls_;  // by handle, until they are over
  std::thread thread_;
};

}  // namespace longshore::csi
