// The modules that run: brings them to what a configuration says, and makes the routes of it.
//
//   prepare ── starts what is new or changed, beside what runs ──► commit ── switches, ends the old
//                         └── an error: what was started is ended again, nothing has changed
//
// A changed module whose description forbids two instances at once cannot be prepared: it is
// exchanged in `commit`, and put back as it was if the new one does not start.
//
// Threads: one at a time, and may block: the control thread. Readers (`list`) any.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "config/settings.h"
#include "embed/inspected_modules.h"
#include "loader/instance.h"
#include "loader/service_catalog.h"
#include "observe/call_metrics.h"
#include "observe/log.h"
#include "router/router.h"

namespace longshore::embed {

class ModuleSet {
 public:
  ModuleSet(InspectedModules& modules, router::Router& router, loader::CatalogHolder& catalog,
            observe::CallMetrics& call_metrics, observe::Log& log);

  // The agent's own services, which are there whatever the configuration says.
  void set_builtin(loader::ModuleDescription description, std::shared_ptr<router::Target> target);

  // At the start of the agent a module that does not start is shown as failed and the others
  // serve; at a reload it is an error and nothing changes.
  enum class OnFailure { kGoOn, kGiveUp };
  Result<void> prepare(const config::Configuration& configuration, OnFailure on_failure);
  // Sentences that tell what was done, in addition to the configuration's differences.
  std::vector<std::string> commit();
  void roll_back();

  // Ends all instances, side by side, until `timeout` from now.
  void stop_all(std::chrono::nanoseconds timeout);

  // Whether an instance of the past or present could not be ended: threads of it may still come
  // back and use what instances use.
  bool has_abandoned() const { return has_abandoned_; }

  struct Entry {
    config::ModuleSettings settings;
    std::shared_ptr<const loader::ModuleFacts> facts;
    std::shared_ptr<loader::ModuleCode> code;    // null: it could not be loaded
    std::shared_ptr<loader::Instance> instance;  // null: it could not be created
    std::string failure;
    bool serves() const { return instance && failure.empty(); }
  };
  std::vector<Entry> list() const;

  // The csi-proxy endpoints of what was prepared.
  std::vector<loader::CsiProxyEndpoint> csi_proxy_endpoints() const;

 private:
  using Entries = std::map<std::string, Entry>;

  // What is to run by these settings: the running entry if nothing changed, or a new one whose
  // instance is started unless that has to wait for `exchange`.
  Result<Entry> prepare_entry(const config::ModuleSettings& settings,
                              const config::AgentSettings& agent);
  // Creates and starts the entry's instance. False: the entry's failure tells why.
  bool bring_up(Entry& entry, std::string handover);
  Result<void> create_and_start(Entry& entry, std::string handover);
  void exchange(Entry& old_entry, Entry& new_entry, std::vector<std::string>& sentences);
  void publish(const Entries& entries);
  // The handover; what goes wrong is logged.
  std::string stop(const std::shared_ptr<loader::Instance>& instance,
                   router::Clock::time_point deadline);
  std::string stop(const std::shared_ptr<loader::Instance>& instance) {
    return stop(instance, router::Clock::now() + stop_timeout_);
  }
  std::string settings_message(const config::ModuleSettings& settings) const;

  InspectedModules& modules_;
  router::Router& router_;
  loader::CatalogHolder& catalog_;
  observe::CallMetrics& call_metrics_;
  observe::Log& log_;
  loader::ModuleDescription builtin_;
  std::shared_ptr<router::Target> builtin_target_;
  std::string state_dir_;
  std::chrono::nanoseconds stop_timeout_{};
  size_t max_images_ = 0;
  std::atomic<bool> has_abandoned_{false};

  mutable std::mutex mutex_;  // guards the two below against readers
  Entries running_;
  Entries prepared_;
};

}  // namespace longshore::embed
