// The agent: owns everything, and is what starts, reloads and ends it.
//
//   starting ──► serving ◄──► reloading
//                   └──drain──► draining ──► over
//
// Threads:
//   I/O      connections, signals, quick calls. One thread at a time; see endpoint::IoThreads.
//   control  reload and the agent's own service: may block. One thread.
//   timers   deadlines. One thread.
//   pools    each module's own.
//   HTTP     the status endpoint, if it is configured. One thread.
#pragma once

#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "config/loaded.h"
#include "core/core.h"
#include "core/running_configuration.h"
#include "endpoint/endpoint_set.h"
#include "endpoint/io_threads.h"
#include "longshore/result.hpp"
#include "main/described_services.h"
#include "main/http_endpoint.h"
#include "main/module_retry.h"
#include "main/service_watchdog.h"
#include "observe/log.h"
#include "observe/status_report.h"
#include "router/memory_return.h"
#include "router/router.h"
#include "router/timers.h"
#include "rpc/fair_queue.h"
#include "rpc/memory_account.h"

namespace longshore {

class Agent {
 public:
  struct Options {
    std::string config_file;
    std::string config_text = {};  // in its place, where it is not empty
    bool check_ownership = true;
    bool safe_mode = false;  // loads no module and serves the control socket alone
    // The modules' settings are flags of the process, as csi-sidecars': their texts call them so,
    // and it ends with `refused_settings`, if there are any, since nobody could change them.
    bool settings_are_flags = false;
    router::MemoryReserve* memory = nullptr;  // the process's
    // Tells the service manager "READY=1", "STOPPING=1", "RELOADING=1...". May be empty.
    std::function<void(std::string_view)> notify = {};
  };

  // `services`: those of `modules`, which hold them.
  Agent(Options options, config::Loaded loaded, std::unique_ptr<core::InspectedModules> modules,
        const DescribedServices& services, std::unique_ptr<observe::Log> log);
  ~Agent();
  Agent(const Agent&) = delete;
  Agent& operator=(const Agent&) = delete;

  // Loads the modules and opens the sockets. An error leaves nothing behind.
  Result<void> start();

  // After `start`: of a controller that did not start since its settings are wrong, which no other
  // try makes right. Nothing where the settings are no flags.
  std::optional<Error> refused_settings() const;

  // Serves until SIGTERM, SIGINT or `request_end`, then drains. SIGHUP reloads.
  void run();
  // What the signals do. [any, until `run` is over]
  void request_end(const std::string& reason);
  void request_reload();

  // Whether nothing is left that would use the agent's parts: otherwise leave the process without
  // destroying it.
  bool may_be_destroyed() const { return ended_in_order_ && !core_.modules.has_abandoned(); }

  // What there is to tell, in one report. Waits for the I/O thread. [any other thread, while `run`
  // runs]
  observe::StatusReport status();
  // With what modules count, for which they are asked.
  observe::StatusReport metrics_status();

  // [control] Applies the changed configuration: sentences of what was done, or an error and
  // nothing was.
  Result<std::vector<std::string>> reload();

  // [control] Replaces the file of a module by the one that the configuration names now, or for
  // `file`, an absolute path, which holds until the next reload. An error: it runs as before.
  struct Upgraded {
    core::ModuleEntry before;
    core::ModuleEntry now;   // the same instance: there was nothing to do
    size_t images_left = 0;  // that this process may load yet
  };
  Result<Upgraded> upgrade(const std::string& module, const std::string& file);

 private:
  friend class AdminHandlers;

  enum class State { kStarting, kServing, kDraining };

  // Whether the file that the module is to have is one of the same library.
  Result<void> check_same_module(const core::ModuleEntry& before);
  // Whether anything may be changed now. `action`: what is wanted.
  Result<void> may_change(const char* action) const;
  Result<config::Loaded> load_configuration();
  // Notices from now on when other files may be there for modules that are not as they should be.
  void watch_module_files();
  // [control] Tries these modules again, each alone.
  void retry_modules();
  // Opens and closes sockets for what the modules have prepared, and commits both.
  Result<core::ModuleSet::Committed> switch_over(const config::Configuration& configuration,
                                                 core::PreparedChange change);
  // Readies the first start of modules, which may be the end of the agent.
  void open_crash_markers();
  // The first of the switches: there is no I/O thread yet.
  Result<core::ModuleSet::Committed> begin_serving(const config::Configuration& configuration,
                                                   core::PreparedChange change);
  void tell_what_serves();
  // Also of those that do not listen. [I/O]
  std::vector<observe::EndpointReport> endpoint_reports() const;
  // From now on the service manager hears of the agent's threads, if it wants to.
  void begin_heartbeat();
  // From now on controllers are started and stopped as what they need comes and goes.
  void supervise_controllers();
  endpoint::EndpointContext endpoint_context();
  Result<std::vector<endpoint::EndpointOptions>> wanted_endpoints(
      const config::Configuration& configuration, const core::PreparedChange& change) const;
  void wait_for_signal();
  void notify(std::string_view state) const;
  // One reload for all signals until it runs.
  void begin_reload();
  void begin_drain();
  void finish_drain();
  void end_modules();
  Result<void> open_sockets(const config::Configuration& configuration,
                            const core::PreparedChange& change);
  // Runs `function` on the I/O thread and waits for it. [control, HTTP]
  void on_io_thread(const std::function<void()>& function);
  std::shared_ptr<const config::Configuration> configuration() const;

  const Options options_;
  const std::unique_ptr<observe::Log> log_;
  const router::Clock::time_point started_at_ = router::Clock::now();
  std::atomic<State> state_{State::kStarting};

  boost::asio::io_context io_{1};
  // Keeps the context at work while modules are stopped and no client is left.
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> more_to_do_{
      io_.get_executor()};
  endpoint::IoThreads io_threads_{io_};
  rpc::FairQueue fair_queue_{io_.get_executor()};
  boost::asio::signal_set signals_{io_};
  boost::asio::steady_timer drain_timer_{io_};
  core::Core core_;
  core::RunningConfiguration configuration_;
  std::shared_ptr<router::MemoryReturn> memory_return_;  // from the start on
  ModuleRetry module_retry_{io_, *log_, [this] { control_->post([this] { retry_modules(); }); }};
  // What the clients of all endpoints make the agent hold, but for the control socket's.
  std::shared_ptr<rpc::MemoryAccount> client_memory_;
  endpoint::EndpointSet endpoints_;
  HttpService& controllers_pages_;
  const std::shared_ptr<AdminTarget> control_;  // its thread is the control thread
  std::unique_ptr<HttpEndpoint> http_;          // null: none is configured
  std::optional<ServiceWatchdog> watchdog_;  // once it serves, where the service manager wants one
  std::atomic<bool> reload_waits_{false};    // one of a signal's, for the control thread
  router::Clock::time_point end_deadline_;   // of the whole end; set where it begins
  std::thread ending_;
  std::atomic<bool> ended_in_order_{true};
};

}  // namespace longshore
