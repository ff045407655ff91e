// Brings a module to life: loads its file, makes an instance, starts it. See loader/lifecycle.h.
//
// Threads: one at a time. Owner: the module set.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "core/crash_markers.h"
#include "core/module_entry.h"
#include "loader/image.h"
#include "observe/log.h"
#include "router/router.h"

namespace longshore::core {

class ModuleStarter {
 public:
  // Makes the code of modules with isolation = "process".
  using MakeProcessCode = std::function<Result<std::shared_ptr<loader::ModuleCode>>(
      loader::Inspection, const config::ModuleSettings&, const config::AgentSettings&)>;

  ModuleStarter(router::Router& router, observe::Log& log) : router_(router), log_(log) {}

  void set_process_code(MakeProcessCode make) { make_process_code_ = std::move(make); }
  // Without it, or where none can be kept, a module that crashes the agent is tried again.
  void set_crash_markers(std::unique_ptr<CrashMarkers> markers) { markers_ = std::move(markers); }
  CrashMarkers* crash_markers() { return markers_.get(); }
  // Called with each instance that is made, before it is started.
  void set_on_created(std::function<void(const ModuleEntry&)> on_created) {
    on_created_ = std::move(on_created);
  }
  // Loads nothing at all.
  void set_safe_mode() { safe_mode_ = true; }
  // Who starts the process gave the modules' options as flags, and knows no keys.
  void set_settings_are_flags() { settings_are_flags_ = true; }

  // A module whose file cannot be loaded. `known`: what an earlier file said of it, or null.
  ModuleEntry without_file(const config::ModuleSettings& settings,
                           std::shared_ptr<const loader::ModuleFacts> known,
                           const Error& why) const;

  // The module with its code, or with the failure that kept it from that.
  ModuleEntry load(loader::Inspection inspection, const config::ModuleSettings& settings,
                   const config::AgentSettings& agent);

  // The module, which was just loaded, is brought up later.
  void wait_loaded(const ModuleEntry& entry);

  // Makes the instance and starts it. False: the entry's failure tells why, and the instance has
  // been ended again.
  bool bring_up(ModuleEntry& entry, std::string_view handover);

  // Begins the entry's life once more, for another instance of the same code.
  void begin_anew(ModuleEntry& entry) const;

  // A thread hangs in the code of this module for good. [any thread]
  void note_abandoned(const std::string& module);
  bool has_abandoned() const;
  bool has_abandoned(const std::string& module) const { return abandoned(module) > 0; }
  int abandoned(const std::string& module) const;
  // It is not started, for a reason that only the end of this process ends.
  void give_up(ModuleEntry& entry, const Error& error) const { fail(entry, error); }

 private:
  Result<void> load_code(loader::Inspection inspection, const config::AgentSettings& agent,
                         ModuleEntry& entry);
  Result<void> create_and_start(ModuleEntry& entry, std::string_view handover);
  void end_failed(ModuleEntry& entry);
  Error noted(const ModuleEntry& entry, Error error);
  void hangs(const ModuleEntry& entry);
  // Whether its crash would be the agent's, and its first start is not over.
  bool needs_mark(const ModuleEntry& entry) const;
  Result<void> mark(const ModuleEntry& entry);
  void came_back(const ModuleEntry& entry);
  void fail(ModuleEntry& entry, const Error& error,
            loader::LifecycleState state = loader::LifecycleState::kFailed) const;

  router::Router& router_;
  observe::Log& log_;
  MakeProcessCode make_process_code_;
  std::function<void(const ModuleEntry&)> on_created_;
  std::unique_ptr<CrashMarkers> markers_;
  std::set<std::string> started_;  // files, by SHA-256, whose first start in this life is over
  bool safe_mode_ = false;
  bool settings_are_flags_ = false;
  std::string state_dir_;
  std::chrono::nanoseconds stop_timeout_{0};
  mutable std::mutex mutex_;
  std::map<std::string, int> abandoned_;  // instances, by their modules' names
};

}  // namespace longshore::core
