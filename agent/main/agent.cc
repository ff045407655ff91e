#include "main/agent.h"

#include <algorithm>
#include <boost/asio/ip/host_name.hpp>
#include <boost/asio/post.hpp>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <future>
#include <iterator>
#include <system_error>
#include <utility>

#include "config/load.h"
#include "config/user_names.h"
#include "core/collected_metrics.h"
#include "core/version.h"
#include "main/end_during_start.h"
#include "main/service_notify.h"
#include "main/status_report.h"
#include "router/heaps.h"
#include "supervise/child_factory.h"
#include "text/file_path.h"
#if !defined(_WIN32)
#include "supervise/linux/cgroups.h"
#endif

namespace longshore {
namespace {

endpoint::EndpointSet::OnFailure on_bad_endpoint(const config::Configuration& configuration) {
  using OnFailure = endpoint::EndpointSet::OnFailure;
  return configuration.agent.strict ? OnFailure::kGiveUp : OnFailure::kGoOn;
}

}  // namespace

Agent::Agent(Options options, config::Loaded loaded,
             std::unique_ptr<core::InspectedModules> modules, const DescribedServices& services,
             std::unique_ptr<observe::Log> log)
    : options_(std::move(options)),
      log_(std::move(log)),
      core_(core::Core::router_options(loaded.configuration.agent, options_.memory),
            std::move(modules), *log_),
      configuration_(std::make_shared<const config::Loaded>(std::move(loaded)), core_, *log_),
      client_memory_(std::make_shared<rpc::MemoryAccount>(rpc::MemoryAccount::Options{
          .name = "the agent (agent.limits.max_memory)",
          .limit = static_cast<size_t>(configuration()->agent.limits.max_memory)})),
      endpoints_(endpoint_context(), endpoint::take_activated_sockets()),
      controllers_pages_(*services.http),
      control_(services.admin->serve(*this, core_.timers)) {}

endpoint::EndpointContext Agent::endpoint_context() {
  return {io_,
          core_.router,
          io_threads_,
          &io_threads_,
          core_.catalog,
          *log_,
          client_memory_,
          &fair_queue_,
          [this] { memory_return_->something_left(); }};
}

Agent::~Agent() {
  if (ending_.joinable()) ending_.join();
}

std::shared_ptr<const config::Configuration> Agent::configuration() const {
  const auto loaded = configuration_.get();
  return {loaded, &loaded->configuration};
}

Result<void> Agent::start() {
#if !defined(_WIN32)
  signals_.add(SIGHUP);  // what comes now waits until the agent serves
#endif
  core_.host_services.start(core_.timers, *log_, [this] { return configuration(); });
  memory_return_ =
      std::make_shared<router::MemoryReturn>(core_.timers, [control = std::weak_ptr(control_)] {
        if (const auto thread = control.lock()) thread->post(&router::give_back_heaps);
      });
#if defined(_WIN32)
  const std::shared_ptr<supervise::Cgroups> control_groups;
#else
  const auto control_groups = supervise::Cgroups::take();
#endif
  core_.modules.set_process_code(
      [this, groups = control_groups](auto inspection, const auto& module, const auto& agent) {
        return supervise::make_child_module(std::move(inspection), module, agent, groups, *log_);
      });
  if (options_.settings_are_flags) core_.modules.set_settings_are_flags();
  // It says so itself.
  if (auto opened = configuration_.open_audit_log(); !opened && configuration()->agent.strict) {
    return opened;
  }
  open_crash_markers();
  auto end_of_start = std::make_unique<EndDuringStart>(*log_, core_.modules.crash_markers());
  auto started = configuration_.start([&](const auto& configuration, auto change) {
    // There is no moment at which nobody heeds these; they too wait until the agent serves.
    signals_.add(SIGTERM);
    signals_.add(SIGINT);
    end_of_start.reset();
    return begin_serving(configuration, std::move(change));
  });
  if (!started) {
    if (auto* markers = core_.modules.crash_markers()) markers->close();
    return started;
  }
  supervise_controllers();
  wait_for_signal();
  state_ = State::kServing;
  if (http_) http_->start();
  tell_what_serves();
  begin_heartbeat();
  watch_module_files();
  notify("READY=1");
  return {};
}

std::optional<Error> Agent::refused_settings() const {
  if (!options_.settings_are_flags) return std::nullopt;
  for (const core::ModuleEntry& entry : core_.modules.list()) {
    if (!entry.is_controller() || entry.failure.empty()) continue;
    if (entry.failure_code != StatusCode::kInvalidArgument) continue;
    return Error::of_text(entry.failure_code, entry.failure);
  }
  return std::nullopt;
}

void Agent::tell_what_serves() {
  std::string idle, deaf;
  for (const observe::ModuleReport& module : module_reports(core_.modules)) {
    if (!module.is_ready()) idle += (idle.empty() ? "" : ", ") + module.name;
  }
  size_t listening = 0;
  for (const observe::EndpointReport& endpoint : endpoint_reports()) {
    if (!endpoint.listens()) {
      deaf += (deaf.empty() ? "" : ", ") + endpoint.name;
    } else {
      ++listening;
    }
  }
  observe::Fields facts = {{"modules", std::to_string(core_.modules.list().size())},
                           {"sockets", std::to_string(listening)}};
  if (!idle.empty()) facts.emplace_back("not_serving", idle);
  if (!deaf.empty()) facts.emplace_back("not_listening", deaf);
  log_->info("serving", facts);
}

void Agent::begin_heartbeat() {
  const auto period = ServiceWatchdog::period_of_environment();
  if (!period) return;
  watchdog_.emplace(*period, ServiceWatchdog::Parts{core_.timers, io_, control_->progress(),
                                                    &send_heartbeat, *log_});
}

void Agent::supervise_controllers() {
  core_.modules.set_controller_actions(
      {.reconcile =
           [this, control = std::weak_ptr(control_)] {
             const auto changes = control.lock();
             if (changes) changes->post([this] { core_.modules.reconcile_controllers(); });
           },
       .end_process =
           [this](const std::string& why) {
             // Another agent may hold the lease by now. Nothing of this process may go on, not
             // even an orderly end; the service manager starts the agent again.
             log_->error("the agent ends at once", {{"reason", why}});
             std::_Exit(EXIT_FAILURE);
           }});
  // What changed during the start was nobody's to see to.
  control_->post([this] { core_.modules.reconcile_controllers(); });
}

void Agent::open_crash_markers() {
  if (options_.safe_mode) {
    log_->warning(
        "safe mode: no module is loaded, and nothing but the control socket is served; restart the "
        "agent without --safe-mode to serve again");
    core_.modules.set_safe_mode();
  } else if (auto markers = core::CrashMarkers::open(configuration()->agent.state_dir, *log_)) {
    core_.modules.set_crash_markers(std::move(*markers));
  } else {
    log_->warning("a module that crashes the agent at its start would not be remembered",
                  {{"reason", markers.error().message()}});
  }
}

Result<core::ModuleSet::Committed> Agent::begin_serving(const config::Configuration& configuration,
                                                        core::PreparedChange change) {
  if (auto opened = open_sockets(configuration, change); !opened) return std::move(opened).error();
  auto committed = std::move(change).commit();
  endpoints_.commit();
  return committed;
}

Result<std::vector<endpoint::EndpointOptions>> Agent::wanted_endpoints(
    const config::Configuration& configuration, const core::PreparedChange& change) const {
  auto wanted = endpoint::wanted_endpoints(configuration, change.csi_proxy_endpoints(),
                                           core_.host_services.services_for_endpoints());
  if (!wanted) return wanted;
  auto unclaimed = endpoints_.unclaimed(configuration, *wanted);
  if (!unclaimed) return unclaimed;
  std::ranges::move(*unclaimed, std::back_inserter(*wanted));
  return wanted;
}

Result<void> Agent::open_sockets(const config::Configuration& configured,
                                 const core::PreparedChange& change) {
  config::Configuration configuration = configured;
  if (options_.safe_mode) {
    configuration.endpoints.clear();
    configuration.csi_proxy.enabled = false;
  }
  auto wanted = wanted_endpoints(configuration, change);
  if (!wanted) return std::move(wanted).error();
  auto opened = endpoints_.prepare(std::move(*wanted), on_bad_endpoint(configuration));
  if (!opened) return opened;
  const char* const address_name =
      options_.settings_are_flags ? "--metrics-address or --http-endpoint" : "agent.http.address";
  http_ = HttpEndpoint::make(configuration.agent.http,
                             {io_, [this] { return status(); }, [this] { return metrics_status(); },
                              controllers_pages_, address_name, *log_});
  if (!http_) return {};
  auto listening = http_->listen();
  if (listening || !configuration.agent.strict) return {};
  endpoints_.roll_back();
  return listening;
}

std::vector<observe::EndpointReport> Agent::endpoint_reports() const {
  auto reports = endpoints_.list();
  if (auto trouble = http_ ? http_->trouble() : std::nullopt) {
    reports.push_back(*std::move(trouble));
  }
  return reports;
}

observe::StatusReport Agent::status() {
  observe::StatusReport report;
  boost::system::error_code ignored;
  report.host_name = boost::asio::ip::host_name(ignored);
  report.version = core::kVersion;
  const State state = state_;
  report.state = state == State::kServing    ? observe::kServing
                 : state == State::kStarting ? "starting"
                                             : "draining";
  report.process_id = config::own_process_id();
  report.uptime =
      std::chrono::duration_cast<std::chrono::milliseconds>(router::Clock::now() - started_at_);
  for (const std::string& file : configuration()->files) {
    if (!options_.config_text.empty()) {  // it is the name of no file
      report.config_files.push_back(file);
      continue;
    }
    std::error_code no_directory;  // whichever it was started in, it may be gone
    const auto whole = std::filesystem::absolute(text::file_path(file), no_directory);
    report.config_files.push_back(no_directory ? file : whole.lexically_normal().string());
  }
  report.is_strict = configuration()->agent.strict;
  report.modules = module_reports(core_.modules);
  report.module_states = module_states();
  on_io_thread([&] { report.endpoints = endpoint_reports(); });
  report.memory = {client_memory_->used(), client_memory_->limit(), client_memory_->refusals()};
  report.methods = core_.call_metrics.all();
  core_.host_services.add_to(report);
  report.audit = core_.audit.figures();
  report.problems = log_->problems().all();
  return report;
}

observe::StatusReport Agent::metrics_status() {
  observe::StatusReport report = status();
  report.work_queues = core::collected_work_queues(core_.modules.list());
  return report;
}

void Agent::run() {
  if (!io_threads_.run()) ended_in_order_ = false;
  if (ending_.joinable()) ending_.join();
}

void Agent::wait_for_signal() {
  signals_.async_wait([this](boost::system::error_code error, int signal) {
    if (error) return;
#if !defined(_WIN32)
    if (signal == SIGHUP) {
      begin_reload();
      return wait_for_signal();
    }
#endif
    log_->info("ending", {{"signal", std::to_string(signal)}});
    begin_drain();
  });
}

void Agent::request_end(const std::string& reason) {
  boost::asio::post(io_, [this, reason] {
    if (state_ == State::kDraining) return;
    log_->info("ending", {{"reason", reason}});
    begin_drain();
  });
}

void Agent::request_reload() {
  boost::asio::post(io_, [this] { begin_reload(); });
}

void Agent::notify(std::string_view state) const {
  if (options_.notify) options_.notify(state);
}

void Agent::begin_reload() {
  if (reload_waits_.exchange(true)) return;  // it sees what this one would
  control_->post([this] {
    reload_waits_ = false;
    notify(reloading_state());
    static_cast<void>(reload());  // it logs what came of it
    notify("READY=1");
  });
}

Result<std::vector<std::string>> Agent::reload() {
  if (auto allowed = may_change("reload"); !allowed) return std::move(allowed).error();
  auto reloaded = configuration_.reload([this] { return load_configuration(); },
                                        std::bind_front(&Agent::switch_over, this));
  watch_module_files();
  if (!reloaded) {
    log_->error(reloaded.error().message());
    return reloaded;
  }
  std::vector<observe::EndpointReport> endpoints;
  on_io_thread([&] { endpoints = endpoint_reports(); });
  for (const observe::EndpointReport& each : endpoints) {
    if (each.listens()) continue;
    reloaded->push_back("the endpoint " + each.name + " does not listen yet: " + each.reason);
  }
  return reloaded;
}

Result<void> Agent::may_change(const char* action) const {
  if (state_ != State::kServing) {
    return Error(StatusCode::kFailedPrecondition, action).because("the agent is ending");
  }
  if (options_.safe_mode) {
    return Error(StatusCode::kFailedPrecondition, action)
        .because("the agent runs in safe mode")
        .advise("restart it without --safe-mode");
  }
  return {};
}

Result<config::Loaded> Agent::load_configuration() {
  config::LoadOptions load_options;
  if (options_.check_ownership) load_options.owners.push_back(config::own_user_id());
  if (!options_.config_text.empty()) {
    return config::load_text_with_origins(options_.config_text, options_.config_file,
                                          *core_.inspected, load_options);
  }
  return config::load_files_with_origins(options_.config_file, *core_.inspected, load_options);
}

Result<core::ModuleSet::Committed> Agent::switch_over(const config::Configuration& configuration,
                                                      core::PreparedChange change) {
  auto wanted = wanted_endpoints(configuration, change);
  Result<void> opened;
  if (wanted) {
    const auto on_failure = on_bad_endpoint(configuration);
    on_io_thread([&] { opened = endpoints_.prepare(std::move(*wanted), on_failure); });
  } else {
    opened = std::move(wanted).error();
  }
  if (!opened) return std::move(opened).error();
  // The endpoints first: what they forbid from now on must not be open while modules are replaced,
  // and what the modules forbid is so before the first replacement.
  on_io_thread([this] { endpoints_.commit(); });
  return std::move(change).commit();
}

void Agent::on_io_thread(const std::function<void()>& function) {
  std::promise<void> done;
  boost::asio::post(io_, [&] {
    function();
    done.set_value();
  });
  done.get_future().wait();
}

void Agent::begin_drain() {
  if (state_.exchange(State::kDraining) == State::kDraining) return;
  core_.modules.hurry();
  if (watchdog_) watchdog_->end_of_control();
  endpoints_.drain([this] { finish_drain(); });
  notify("STOPPING=1");  // from here on nobody new gets in
  // Clients that do not go are not waited for so long that nothing is left for the modules.
  const std::chrono::nanoseconds time = configuration()->agent.stop_timeout;
  end_deadline_ = router::Clock::now() + time;
  drain_timer_.expires_after(time - time / 4);
  drain_timer_.async_wait([this](boost::system::error_code cancelled) {
    if (!cancelled) finish_drain();
  });
}

void Agent::finish_drain() {
  if (ending_.joinable()) return;
  drain_timer_.cancel();
  // Stopping modules blocks, and their last answers still want somebody who writes them.
  try {
    ending_ = std::thread([this] { end_modules(); });
  } catch (const std::system_error& error) {
    constexpr std::chrono::milliseconds kUntilThreadsEnd{100};
    log_->warning("no thread to end the modules; trying again", {{"error", error.what()}});
    drain_timer_.expires_after(kUntilThreadsEnd);
    drain_timer_.async_wait([this](boost::system::error_code cancelled) {
      if (!cancelled) finish_drain();
    });
  }
}

void Agent::end_modules() {
  if (control_->drain(end_deadline_)) {
    core_.modules.stop_all(end_deadline_ - router::Clock::now());
  } else {
    // It is at the modules itself, and two at them would be one too many.
    log_->error("a change of the modules does not end; they are left as they are");
    ended_in_order_ = false;
  }
  core_.host_services.stop();
  if (auto* markers = core_.modules.crash_markers()) markers->close();
  core_.audit.end();
  std::unique_ptr<HttpEndpoint> http;
  on_io_thread([&] {
    if (http_) http_->stop_trying();
    http = std::move(http_);
  });
  http.reset();  // its reports need the I/O thread
  boost::asio::post(io_, [this] {
    endpoints_.close();
    signals_.cancel();
    // After what that has cancelled, so that sockets are removed though the agent is not
    // destroyed.
    boost::asio::post(io_, [this] { io_.stop(); });
  });
}

}  // namespace longshore
