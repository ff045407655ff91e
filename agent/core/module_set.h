// The modules that run: brings them to what a configuration says, and makes the routes of it.
//
//   prepare ── starts what is new or changed, beside what runs ──► PreparedChange
//                         └── an error: what was started is ended again, nothing has changed
//   PreparedChange ── commit ──► switches, ends the old
//                  └── dropped: what was started is ended again, nothing has changed
//
// No call fails by that. Those that an old instance has it finishes, and is ended then; one that
// comes to it by old routes is routed anew. A module whose description forbids two instances at
// once is replaced in `commit`: new calls wait, the old instance finishes those that it has, stops
// and hands over, and the new one starts, or the old one again if that fails.
//
// A controller whose conditions are not met is part of the set and waits, without an instance.
//
// Threads: one at a time, and may block: the control thread. Readers (`list`) any.
#pragma once

#include <atomic>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "config/settings.h"
#include "core/controller_supervisor.h"
#include "core/draining_instances.h"
#include "core/inspected_modules.h"
#include "core/module_entry.h"
#include "core/module_starter.h"
#include "core/route_table_builder.h"
#include "loader/instance.h"
#include "loader/service_catalog.h"
#include "observe/call_metrics.h"
#include "observe/log.h"
#include "router/router.h"

namespace longshore::core {

class PreparedChange;

class ModuleSet {
 public:
  using Entry = ModuleEntry;

  ModuleSet(InspectedModules& modules, const services::HostServices& host_services,
            router::Router& router, loader::CatalogHolder& catalog,
            observe::CallMetrics& call_metrics, observe::Log& log);

  // Makes the code of modules with isolation = "process". Without it there are none: a library
  // starts no processes in somebody's program.
  void set_process_code(ModuleStarter::MakeProcessCode make) {
    starter_.set_process_code(std::move(make));
  }
  // Of those that its own process has; see crash_markers.h.
  void set_crash_markers(std::unique_ptr<CrashMarkers> markers) {
    starter_.set_crash_markers(std::move(markers));
  }
  CrashMarkers* crash_markers() { return starter_.crash_markers(); }
  void set_safe_mode() { starter_.set_safe_mode(); }
  void set_settings_are_flags() { starter_.set_settings_are_flags(); }

  // At the start of the agent a module that does not start is shown as failed and the others
  // serve; at a reload it is an error and nothing changes. One whose file cannot be loaded is no
  // error at either, unless agent.strict says so: where it runs it goes on as it is.
  enum class OnFailure { kGoOn, kGiveUp };
  Result<PreparedChange> prepare(const config::Configuration& configuration, OnFailure on_failure);
  // The same for one module that is there, with a file that may be new; the others stay as they
  // are. A quarantined file is tried once more.
  Result<std::optional<PreparedChange>> prepare_upgrade(const config::ModuleSettings& settings,
                                                        const config::AgentSettings& agent);
  // The same for one module that failed, or whose file could not be loaded, when another may be
  // there: where it serves, it does so until the next one can. Calls of older instances are hardly
  // waited for: RESOURCE_EXHAUSTED, or Committed::calls_remain. None: there is nothing new.
  Result<std::optional<PreparedChange>> prepare_retry(const config::ModuleSettings& settings,
                                                      const config::AgentSettings& agent);

  struct Committed {
    std::vector<std::string> sentences;
    bool failed = false;        // something went another way than the configuration says
    bool calls_remain = false;  // that was since calls had not ended: it may go well later
    void fail(std::string sentence) {
      failed = true;
      sentences.push_back(std::move(sentence));
    }
  };
  // The agent ends: a start that runs is given up; a `commit` leaves out the replacements that it
  // has not begun, and gives up the one that waits for calls. [any thread]
  void hurry();

  // What follows from conditions and failed starts of controllers; see ControllerSupervisor.
  void set_controller_actions(ControllerSupervisor::Actions actions) {
    controllers_.set_actions(std::move(actions));
  }
  // Starts and stops controllers, so that those run that may by now.
  void reconcile_controllers();

  // Ends all instances, side by side, until `timeout` from now.
  void stop_all(std::chrono::nanoseconds timeout);

  // Whether an instance of the past or present could not be ended: threads of it may still come
  // back and use what instances use.
  bool has_abandoned() const { return starter_.has_abandoned(); }

  std::vector<Entry> list() const;

 private:
  friend class PreparedChange;
  using Entries = ModuleEntries;

  struct Wanted {
    const config::ModuleSettings* settings;
    Result<loader::Inspection> inspection;
  };

  void read_limits(const config::AgentSettings& agent, std::chrono::nanoseconds patience);
  // The enabled modules, in the order in which they are started.
  Result<std::list<Wanted>> wanted_by(const config::Configuration& configuration);
  // What is to run by these settings: the running entry if nothing changed, or a new one whose
  // instance is started unless that has to wait for `replace`.
  Result<Entry> prepare_entry(const config::ModuleSettings& settings,
                              const config::AgentSettings& agent,
                              Result<loader::Inspection> inspection);
  // The same where the file cannot be loaded: what runs goes on, and is told whom it may serve.
  Entry prepare_without_file(const config::ModuleSettings& settings,
                             std::shared_ptr<const router::Permissions> permissions,
                             const Error& why);
  // One entry among those that run. `must_start`: an error if it did not.
  Result<std::optional<PreparedChange>> prepare_one(const config::ModuleSettings& settings,
                                                    const config::AgentSettings& agent,
                                                    Result<loader::Inspection> inspection,
                                                    bool must_start);
  Result<PreparedChange> finish_prepare(Entries prepared, Result<void> outcome);
  // Starts it, unless it is a controller that has to wait. False: it failed.
  bool bring_up(Entry& entry, std::string_view handover);
  bool may_run(Entry& entry);
  // An instance is made, and about to be started.
  void on_created(const Entry& entry);
  bool is_ending() const;
  bool reconcile(Entry& controller);  // true: it is not what it was
  // Tells the host services what runs by now.
  void tell_services() const;
  void stop_controller(Entry& entry, const services::RunCondition::State& unmet);
  Committed commit();
  void roll_back();
  std::vector<loader::CsiProxyEndpoint> csi_proxy_endpoints() const;
  // Whether the entry's instance goes on in these.
  static bool is_kept(const std::string& name, const Entry& entry, const Entries& in);

  // Replaces the only instance of the module in `now` by the prepared one.
  void replace(const std::string& name, Entries& now, Committed& committed);
  // Drains the only instance. False: its calls do not end, or the agent is about to.
  bool drain_to_replace(const std::shared_ptr<loader::Instance>& instance);
  Entry start_instead(const Entry& old_entry, Entry next, Committed& committed);

  // Tells of modules that forbid two instances and have two now, since one could not be ended.
  void tell_of_overlaps(const Entries& now, Committed& committed);

  // The handover; what goes wrong is logged. [any thread]
  Secret stop(const std::shared_ptr<loader::Instance>& instance, router::Clock::time_point deadline,
              loader::Instance::StuckCalls stuck = loader::Instance::StuckCalls::kAwaited);
  Secret stop(const std::shared_ptr<loader::Instance>& instance) {
    return stop(instance, router::Clock::now() + stop_timeout_.load());
  }

  InspectedModules& modules_;
  const services::HostServices& host_services_;
  observe::Log& log_;
  ModuleStarter starter_;
  RouteTableBuilder routes_;
  ControllerSupervisor controllers_;
  bool has_routes_ = false;
  std::atomic<std::chrono::nanoseconds> stop_timeout_{std::chrono::seconds(30)};
  std::chrono::nanoseconds patience_{};  // of the change at hand, with calls of older instances

  mutable std::mutex mutex_;  // guards what follows against readers, and against `hurry`
  Entries running_;
  Entries prepared_;
  std::shared_ptr<loader::Instance> replaced_;  // the one that `replace` drains
  std::weak_ptr<loader::Instance> starting_;    // the one that was made last
  bool is_ending_ = false;
  DrainingInstances draining_;  // the last: its threads use the rest
};

// What a set has prepared and does not run yet. Undone when it is dropped without a commit. One at
// a time; the set outlives it. Threads: as the set's control thread.
class [[nodiscard]] PreparedChange {
 public:
  explicit PreparedChange(ModuleSet& set) : set_(&set) {}
  PreparedChange(PreparedChange&& other) noexcept : set_(std::exchange(other.set_, nullptr)) {}
  PreparedChange& operator=(PreparedChange&&) = delete;
  ~PreparedChange() {
    if (set_) set_->roll_back();
  }

  // The csi-proxy endpoints of the modules that would run.
  std::vector<loader::CsiProxyEndpoint> csi_proxy_endpoints() const {
    return set_->csi_proxy_endpoints();
  }
  ModuleSet::Committed commit() && { return std::exchange(set_, nullptr)->commit(); }

 private:
  ModuleSet* set_;
};

}  // namespace longshore::core
