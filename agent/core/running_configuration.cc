#include "core/running_configuration.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <utility>

#include "config/changes.h"
#include "core/log_options.h"
#include "text/file_path.h"

namespace longshore::core {
namespace {

// Null: it is not there, or not enabled.
const config::ModuleSettings* find_enabled(const config::Configuration& configuration,
                                           const std::string& module) {
  const auto found = std::ranges::find_if(
      configuration.modules, [&](const auto& each) { return each.enabled && each.name == module; });
  return found == configuration.modules.end() ? nullptr : &*found;
}

// Of a module whose file could not be read nobody knows the settings. What `before` knew of them
// still holds as far as it runs.
void keep_unread_settings(const config::Loaded& before, config::ModuleSettings& module,
                          config::ModuleSchemas& schemas) {
  const auto known = before.schemas.find(module.name);
  const auto* const old_one = find_enabled(before.configuration, module.name);
  if (!module.enabled || !old_one || known == before.schemas.end()) return;
  if (schemas.insert(*known).second) module.settings = old_one->settings;
}

// By name: an entry would keep an instance that the reload replaces.
std::vector<std::string> failed_modules(const ModuleSet& modules) {
  std::vector<std::string> names;
  for (const ModuleEntry& entry : modules.list()) {
    if (!entry.failure.empty()) names.push_back(entry.settings.name);
  }
  return names;
}

std::vector<std::string> sentences_of_recovered(const std::vector<std::string>& failed_before,
                                                const ModuleSet& modules) {
  std::vector<std::string> sentences;
  for (const ModuleEntry& entry : modules.list()) {
    if (!entry.serves() || std::ranges::count(failed_before, entry.settings.name) == 0) continue;
    sentences.push_back("the module " + entry.settings.name + " serves now");
  }
  return sentences;
}

// What a reload could not do because of files.
std::vector<std::string> sentences_of_files(const ModuleSet& modules) {
  std::vector<std::string> sentences;
  for (const ModuleEntry& entry : modules.list()) {
    if (entry.file_failure.empty()) continue;
    sentences.push_back("the module " + entry.settings.name +
                        (entry.failure.empty() ? " goes on as it is: its file cannot be loaded: "
                                               : " is not running: its file cannot be loaded: ") +
                        entry.file_failure);
  }
  return sentences;
}

}  // namespace

std::shared_ptr<const config::Loaded> RunningConfiguration::get() const {
  const std::lock_guard lock(mutex_);
  return loaded_;
}

void RunningConfiguration::keep(config::Loaded loaded) {
  auto next = std::make_shared<const config::Loaded>(std::move(loaded));
  const std::lock_guard lock(mutex_);
  loaded_ = std::move(next);
}

void RunningConfiguration::warn_of(const config::Loaded& loaded) {
  for (const std::string& line : loaded.warnings) log_.warning(line);
}

Result<void> RunningConfiguration::open_audit_log() {
  const auto loaded = get();
  const config::AgentSettings& agent = loaded->configuration.agent;
  const std::filesystem::path state = text::file_path(agent.state_dir);
  return core_.audit.open({.file = agent.audit.file,
                           .mark = (state / ".audit-missing-lines").string(),
                           .required = agent.audit.required,
                           .fsync = agent.audit.fsync,
                           .max_size = agent.audit.max_size,
                           .max_files = agent.audit.max_files});
}

Result<void> RunningConfiguration::start(const SwitchOver& switch_over) {
  const auto loaded = get();
  const config::Configuration& configuration = loaded->configuration;
  const InspectedModules::Scope scope(*core_.inspected);
  auto change = core_.modules.prepare(configuration, ModuleSet::OnFailure::kGoOn);
  if (!change) return std::move(change).error();
  auto committed = switch_over(configuration, *std::move(change));
  if (!committed) return std::move(committed).error();
  warn_of(*loaded);
  return {};
}

Result<std::vector<std::string>> RunningConfiguration::reload(const Load& load,
                                                              const SwitchOver& switch_over) {
  // First: whoever moved the files away wants that whatever the configuration says.
  if (auto reopened = log_.reopen(); !reopened) return std::move(reopened).error();
  const auto audit = core_.audit.reopen();
  if (!audit && get()->configuration.agent.strict) return audit.error();
  const InspectedModules::Scope scope(*core_.inspected);
  Result<config::Loaded> next = load();
  if (!next) return std::move(next).error();
  const config::Configuration& configuration = next->configuration;
  const auto before = get();
  for (auto& module : next->configuration.modules) {
    keep_unread_settings(*before, module, next->schemas);
  }
  if (auto checked = config::check_served_once(*next); !checked) return std::move(checked).error();
  auto sentences = config::reload_changes(before->configuration, configuration);
  if (!sentences) return sentences;
  const std::vector<std::string> failed_before = failed_modules(core_.modules);
  auto change = core_.modules.prepare(configuration, ModuleSet::OnFailure::kGiveUp);
  if (!change) return std::move(change).error();
  auto committed = switch_over(configuration, *std::move(change));
  if (!committed) return std::move(committed).error();
  std::ranges::move(sentences_of_recovered(failed_before, core_.modules),
                    std::back_inserter(*sentences));
  for (const std::string& sentence : *sentences) log_.info("reload: " + sentence);
  std::ranges::move(sentences_of_files(core_.modules), std::back_inserter(committed->sentences));
  for (std::string& sentence : committed->sentences) {
    log_.warning("reload: " + sentence);
    sentences->push_back(std::move(sentence));
  }
  if (!audit) sentences->push_back(audit.error().message() + "; it is tried again");
  // Only what the file changed: `longshorectl log level` may have set another meanwhile.
  const config::LogSettings& logging = configuration.agent.log;
  if (logging.level != before->configuration.agent.log.level) {
    log_.set_level(log_options(logging).level);
  }
  warn_of(*next);
  keep(*std::move(next));
  return sentences;
}

Result<config::Loaded> RunningConfiguration::with_module(const std::string& module,
                                                         const config::Loaded& next) const {
  const auto before = get();
  config::Loaded loaded = *before;
  const config::ModuleSettings* const wanted = find_enabled(next.configuration, module);
  const config::ModuleSettings* const present = find_enabled(loaded.configuration, module);
  if (wanted == nullptr || present == nullptr) {
    return Error(StatusCode::kFailedPrecondition, "upgrade the module", module)
        .because("the configuration does not enable it any more")
        .advise("reload applies that");
  }
  auto& modules = loaded.configuration.modules;
  auto& settings = modules[static_cast<size_t>(present - modules.data())];
  settings = *wanted;
  loaded.schemas.erase(module);
  const auto schema = next.schemas.find(module);
  if (schema != next.schemas.end()) loaded.schemas.insert(*schema);
  keep_unread_settings(*before, settings, loaded.schemas);
  if (auto checked = config::check_served_once(loaded); !checked) return std::move(checked).error();
  return loaded;
}

Result<ModuleSet::Committed> RunningConfiguration::take_module(const std::string& module,
                                                               const config::Loaded& next,
                                                               Prepare prepare,
                                                               const SwitchOver& switch_over) {
  Result<config::Loaded> loaded = with_module(module, next);
  if (!loaded) return std::move(loaded).error();
  const config::Configuration& configuration = loaded->configuration;
  auto change = (core_.modules.*prepare)(*find_enabled(configuration, module), configuration.agent);
  if (!change) return std::move(change).error();
  if (!*change) return ModuleSet::Committed{};
  auto committed = switch_over(configuration, **std::move(change));
  if (committed && !committed->failed) keep(*std::move(loaded));
  return committed;
}

}  // namespace longshore::core
