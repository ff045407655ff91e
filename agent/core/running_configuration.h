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

  // Takes the configuration that it was made with. A module that does not start is left out.
  Result<void> start(const SwitchOver& switch_over);
  // Takes another. Sentences of what was done.
  Result<std::vector<std::string>> reload(const Load& load, const SwitchOver& switch_over);
  // Takes what `next` says of one module that runs, which may have another file.
  Result<ModuleSet::Committed> upgrade(const std::string& module, const config::Loaded& next,
                                       const SwitchOver& switch_over);

  // Commits the change of an agent that has nothing but modules.
  static Result<ModuleSet::Committed> commit_modules(const config::Configuration&,
                                                     PreparedChange change) {
    return std::move(change).commit();
  }

 private:
  void keep(config::Loaded loaded);

  Core& core_;
  observe::Log& log_;
  mutable std::mutex mutex_;
  std::shared_ptr<const config::Loaded> loaded_;
};

}  // namespace longshore::core
