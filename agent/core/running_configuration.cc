#include "core/running_configuration.h"

#include <algorithm>
#include <utility>

#include "config/changes.h"
#include "core/log_options.h"

namespace longshore::core {

std::shared_ptr<const config::Loaded> RunningConfiguration::get() const {
  const std::lock_guard lock(mutex_);
  return loaded_;
}

void RunningConfiguration::keep(config::Loaded loaded) {
  auto next = std::make_shared<const config::Loaded>(std::move(loaded));
  const std::lock_guard lock(mutex_);
  loaded_ = std::move(next);
}

Result<void> RunningConfiguration::start(const SwitchOver& switch_over) {
  const auto loaded = get();
  const config::Configuration& configuration = loaded->configuration;
  const config::AuditSettings& audit = configuration.agent.audit;
  if (auto opened = core_.audit.open(audit.file, audit.required); !opened) return opened;
  const InspectedModules::Scope scope(*core_.inspected);
  auto change = core_.modules.prepare(configuration, ModuleSet::OnFailure::kGoOn);
  if (!change) return std::move(change).error();
  auto committed = switch_over(configuration, *std::move(change));
  return committed ? Result<void>() : std::move(committed).error();
}

Result<std::vector<std::string>> RunningConfiguration::reload(const Load& load,
                                                              const SwitchOver& switch_over) {
  // First: whoever moved the files away wants that whatever the configuration says.
  if (auto reopened = log_.reopen(); !reopened) return std::move(reopened).error();
  if (auto reopened = core_.audit.reopen(); !reopened) return std::move(reopened).error();
  const InspectedModules::Scope scope(*core_.inspected);
  Result<config::Loaded> next = load();
  if (!next) return std::move(next).error();
  const config::Configuration& configuration = next->configuration;
  const auto before = get();
  auto sentences = config::reload_changes(before->configuration, configuration);
  if (!sentences) return sentences;
  auto change = core_.modules.prepare(configuration, ModuleSet::OnFailure::kGiveUp);
  if (!change) return std::move(change).error();
  auto committed = switch_over(configuration, *std::move(change));
  if (!committed) return std::move(committed).error();
  for (const std::string& sentence : *sentences) log_.info("reload: " + sentence);
  for (std::string& sentence : committed->sentences) {
    log_.warning("reload: " + sentence);
    sentences->push_back(std::move(sentence));
  }
  // Only what the file changed: `longshorectl log level` may have set another meanwhile.
  const config::LogSettings& logging = configuration.agent.log;
  if (logging.level != before->configuration.agent.log.level) {
    log_.set_level(log_options(logging).level);
  }
  keep(*std::move(next));
  return sentences;
}

Result<ModuleSet::Committed> RunningConfiguration::upgrade(const std::string& module,
                                                           const config::Loaded& next,
                                                           const SwitchOver& switch_over) {
  const auto find = [&](auto& modules) {
    return std::find_if(modules.begin(), modules.end(),
                        [&](const auto& each) { return each.enabled && each.name == module; });
  };
  const auto& wanted = next.configuration.modules;
  const auto settings = find(wanted);
  if (settings == wanted.end()) {
    return Error(StatusCode::kFailedPrecondition, "upgrade the module", module)
        .because("the configuration does not enable it any more")
        .advise("reload applies that");
  }
  config::Loaded loaded = *get();
  auto change = core_.modules.prepare_upgrade(*settings, loaded.configuration.agent);
  if (!change) return std::move(change).error();
  *find(loaded.configuration.modules) = *settings;
  const auto schema = next.schemas.find(module);
  if (schema != next.schemas.end()) loaded.schemas.insert_or_assign(module, schema->second);
  auto committed = switch_over(loaded.configuration, *std::move(change));
  if (committed && !committed->failed) keep(std::move(loaded));
  return committed;
}

}  // namespace longshore::core
