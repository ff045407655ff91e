// The configuration by which an agent runs, and the one procedure by which it takes it or another:
//
//   loaded ──► modules prepared ──► switched over ──► kept
//                 └──────────┴── an error: undone, all is as it was
//
// A reload opens the log and audit files anew first, whatever comes of the rest.
//
// Threads: `get` any; the rest the control thread, and may block. Owner: the agent; the core and
// the log outlive it.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "config/loaded.h"
#include "core/core.h"
#include "longshore/result.hpp"
#include "observe/log.h"

namespace longshore::core {

class RunningConfiguration {
 public:
  using Load = std::function<Result<config::Loaded>()>;
  // Commits the change together with what else the agent has. An error: nothing was committed.
  using SwitchOver = std::function<Result<ModuleSet::Committed>(
      const config::Configuration& configuration, PreparedChange change)>;

  RunningConfiguration(std::shared_ptr<const config::Loaded> loaded, Core& core, observe::Log& log)
      : core_(core), log_(log), loaded_(std::move(loaded)) {}

  std::shared_ptr<const config::Loaded> get() const;

  // First of all: calls of modules that start are told there. An error: it cannot be written yet.
  Result<void> open_audit_log();
  // Takes the configuration that it was made with. A module that does not start is left out.
  Result<void> start(const SwitchOver& switch_over);
  // Takes another. Sentences of what was done.
  Result<std::vector<std::string>> reload(const Load& load, const SwitchOver& switch_over);
  // Takes what `next` says of one module, as `prepare` wants: ModuleSet's prepare_upgrade or
  // prepare_retry. Where there is nothing new, nothing is committed.
  using Prepare = Result<std::optional<PreparedChange>> (ModuleSet::*)(
      const config::ModuleSettings& settings, const config::AgentSettings& agent);
  Result<ModuleSet::Committed> take_module(const std::string& module, const config::Loaded& next,
                                           Prepare prepare, const SwitchOver& switch_over);

  // Commits the change of an agent that has nothing but modules.
  static Result<ModuleSet::Committed> commit_modules(const config::Configuration&,
                                                     PreparedChange change) {
    return std::move(change).commit();
  }

 private:
  void keep(config::Loaded loaded);
  // What runs, with what `next` says of one module.
  Result<config::Loaded> with_module(const std::string& module, const config::Loaded& next) const;
  // Of what the configuration may not mean as it says it.
  void warn_of(const config::Loaded& loaded);

  Core& core_;
  observe::Log& log_;
  mutable std::mutex mutex_;
  std::shared_ptr<const config::Loaded> loaded_;
};

}  // namespace longshore::core
