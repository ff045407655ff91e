// Modules that are not as the configuration wants them are tried again when their files change, and
// when calls of older instances that were in the way may have ended.
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "main/agent.h"

namespace longshore {
namespace {

std::vector<std::string> modules_to_retry(const core::ModuleSet& modules) {
  std::vector<std::string> names;
  for (const core::ModuleEntry& entry : modules.list()) {
    if (!entry.failure.empty() || !entry.file_failure.empty()) names.push_back(entry.settings.name);
  }
  return names;
}

}  // namespace

void Agent::watch_module_files() {
  if (options_.safe_mode) return;
  const std::shared_ptr<const config::Configuration> all = configuration();
  files::FileWatch::Paths files;
  for (const std::string& name : modules_to_retry(core_.modules)) {
    for (const config::ModuleSettings& module : all->modules) {
      if (module.name != name) continue;
      for (std::string& file : core_.inspected->files_of(module, all->agent)) {
        files.insert(std::move(file));
      }
    }
  }
  module_retry_.watch(std::move(files));
}

void Agent::retry_modules() {
  if (!may_change("try modules again")) return;
  const core::InspectedModules::Scope scope(*core_.inspected);
  const Result<config::Loaded> loaded = load_configuration();
  if (!loaded) {
    log_->warning("modules whose files have changed are not tried again",
                  {{"reason", loaded.error().message()}});
    return;
  }
  bool is_too_early = false;
  for (const std::string& name : modules_to_retry(core_.modules)) {
    const auto tried = configuration_.take_module(name, *loaded, &core::ModuleSet::prepare_retry,
                                                  std::bind_front(&Agent::switch_over, this));
    if (!tried) {
      log_->warning(tried.error().message(), {{"module", name}});
      is_too_early = is_too_early || tried.error().code() == StatusCode::kResourceExhausted;
      continue;
    }
    for (const std::string& sentence : tried->sentences) log_->warning(sentence);
    is_too_early = is_too_early || tried->calls_remain;
  }
  watch_module_files();
  if (is_too_early) module_retry_.try_later();
}

}  // namespace longshore
