// Agent::upgrade: one module gets another file while it serves.
#include <algorithm>
#include <filesystem>
#include <functional>
#include <utility>

#include "config/schema.h"
#include "loader/image.h"
#include "main/agent.h"

namespace longshore {
namespace {

constexpr const char* kAction = "upgrade the module";

Result<core::ModuleEntry> find_entry(const core::ModuleSet& modules, const std::string& name) {
  std::vector<std::string> names;
  for (core::ModuleEntry& entry : modules.list()) {
    if (entry.settings.name == name) return std::move(entry);
    names.push_back(entry.settings.name);
  }
  Error error(StatusCode::kNotFound, kAction, name);
  error = std::move(error).because("the agent runs no module of this name");
  const std::string meant = config::nearest(name, names);
  return meant.empty() ? std::move(error) : std::move(error).advise("did you mean " + meant + "?");
}

}  // namespace

Result<void> Agent::check_same_module(const core::ModuleEntry& before) {
  const auto inspection = core_.inspected->take(before.settings, configuration()->agent);
  if (!inspection) return inspection.error();
  const loader::ModuleFacts& facts = *inspection->facts;
  if (!before.is_described() || facts.name == before.facts->name) return {};
  return Error(StatusCode::kInvalidArgument, kAction, before.settings.name)
      .because(facts.path + " is the module \"" + facts.name + "\" and not another \"" +
               before.facts->name + '"');
}

Result<Agent::Upgraded> Agent::upgrade(const std::string& module, const std::string& file) {
  if (auto allowed = may_change(kAction); !allowed) return std::move(allowed).error();
  if (!file.empty() && !std::filesystem::path(file).is_absolute()) {
    return Error(StatusCode::kInvalidArgument, kAction, module)
        .because("\"" + file + "\" is not an absolute path");
  }
  const core::InspectedModules::Scope scope(*core_.inspected);
  auto before = find_entry(core_.modules, module);
  if (!before) return std::move(before).error();
  if (!file.empty()) {
    core_.inspected->use_file(module, file);
    if (auto same = check_same_module(*before); !same) return std::move(same).error();
  }
  Result<config::Loaded> loaded = load_configuration();
  if (!loaded) return std::move(loaded).error();
  const auto committed =
      configuration_.take_module(module, *loaded, &core::ModuleSet::prepare_upgrade,
                                 std::bind_front(&Agent::switch_over, this));
  if (!committed) return committed.error();
  watch_module_files();
  if (committed->failed) {
    std::string reasons;
    for (const auto& sentence : committed->sentences) {
      reasons += (reasons.empty() ? "" : "; ") + sentence;
    }
    return Error::of_text(StatusCode::kFailedPrecondition, reasons);
  }
  auto now = find_entry(core_.modules, module);
  if (!now) return std::move(now).error();
  const auto most = static_cast<size_t>(configuration()->agent.limits.max_images);
  const size_t used = std::min(loader::loaded_images(), most);
  return Upgraded{std::move(*before), std::move(*now), most - used};
}

}  // namespace longshore
