#include "core/inspected_modules.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <functional>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "config/ownership.h"
#include "router/blocked_signals.h"
#include "text/file_path.h"

namespace longshore::core {
namespace {

using module::v1::Option;

config::OptionType type_of(const Option& option) {
  switch (option.type()) {
    case module::v1::OPTION_TYPE_BOOL:
      return config::OptionType::kBool;
    case module::v1::OPTION_TYPE_INT:
      return config::OptionType::kInt;
    case module::v1::OPTION_TYPE_FLOAT:
      return config::OptionType::kFloat;
    case module::v1::OPTION_TYPE_STRINGS:
      return config::OptionType::kStrings;
    case module::v1::OPTION_TYPE_DURATION:
      return config::OptionType::kDuration;
    default:
      return config::OptionType::kString;
  }
}

// The value by the option's declared type: a description that mixes them up gets its type's zero.
config::OptionValue value_of(const Option& option) {
  const auto& value = option.default_value();
  switch (type_of(option)) {
    case config::OptionType::kBool:
      return value.bool_value();
    case config::OptionType::kInt:
    case config::OptionType::kDuration:
      return value.int_value();
    case config::OptionType::kFloat:
      return value.float_value();
    case config::OptionType::kStrings:
      return std::vector<std::string>(value.strings_value().values().begin(),
                                      value.strings_value().values().end());
    case config::OptionType::kString:
      break;
  }
  return value.string_value();
}

config::OptionSchema schema_of(const Option& option) {
  config::OptionSchema schema;
  schema.name = option.name();
  schema.type = type_of(option);
  if (!option.required()) schema.default_value = value_of(option);
  schema.doc = option.doc();
  schema.one_of = {option.one_of().begin(), option.one_of().end()};
  if (option.has_range()) schema.range = {option.min(), option.max()};
  schema.secret = option.secret();
  return schema;
}

config::KubeGrant grant_of(const module::v1::KubeGrant& grant) {
  return {.name = grant.name(),
          .api_groups = {grant.api_groups().begin(), grant.api_groups().end()},
          .resources = {grant.resources().begin(), grant.resources().end()},
          .verbs = {grant.verbs().begin(), grant.verbs().end()}};
}

// What a description says, in the configuration's terms.
config::ModuleSchema schema_of(const loader::ModuleDescription& description) {
  config::ModuleSchema schema;
  schema.summary = description.summary;
  schema.is_controller = description.is_controller;
  schema.services = description.services;
  for (const auto& method : description.methods) schema.methods.push_back(method.full_name);
  schema.calls = description.calls;
  for (const auto& endpoint : description.csi_proxy_endpoints) {
    schema.csi_proxy_sockets.push_back(endpoint.name());
  }
  for (const auto& option : description.options) schema.options.push_back(schema_of(option));
  for (const auto& grant : description.kube_grants) schema.kube_grants.push_back(grant_of(grant));
  schema.role_file = description.role_file;
  schema.wait_for_driver_option = description.wait_for_driver_option;
  schema.lease = description.lease;
  return schema;
}

// Calls `work` with each number below `count`, on this thread and on some that end again.
void for_each_at_once(size_t count, const std::function<void(size_t)>& work) {
  constexpr size_t kMostThreads = 4;  // more gain little: there are few modules
  const size_t cores = std::max(1u, std::thread::hardware_concurrency());
  std::atomic<size_t> next{0};
  const auto take_turns = [&] {
    for (size_t each = next++; each < count; each = next++) work(each);
  };
  std::vector<std::thread> threads;
  try {
    const router::BlockedSignals blocked;
    while (threads.size() + 1 < std::min({count, cores, kMostThreads})) {
      threads.emplace_back(take_turns);
    }
  } catch (const std::system_error&) {
    // There is no thread to be had: with those that there are.
  }
  take_turns();
  for (std::thread& thread : threads) thread.join();
}

}  // namespace

std::vector<std::string> InspectedModules::folders_of(const config::AgentSettings& agent) const {
  std::vector<std::string> folders = extra_folders_;
  folders.insert(folders.end(), agent.module_dirs.begin(), agent.module_dirs.end());
  return folders;
}

std::vector<std::string> InspectedModules::files_of(const config::ModuleSettings& module,
                                                    const config::AgentSettings& agent) const {
  std::vector<std::string> files;
  for (const std::string& path :
       loader::module_file_candidates(module.library, folders_of(agent))) {
    std::error_code ignored;  // of the current folder: `path` may be relative to it
    const std::string file = std::filesystem::absolute(text::file_path(path), ignored).string();
    files.push_back(file);
    if (!agent.signatures.keys_dir.empty()) files.push_back(loader::signature_path(file));
  }
  return files;
}

Result<loader::Inspection> InspectedModules::inspect(const config::ModuleSettings& module,
                                                     const config::AgentSettings& agent) const {
  Result<std::vector<config::UserId>> owners = config::owners_of_code(agent);
  if (!owners) return std::move(owners).error();
  return inspect(module, agent, *owners);
}

Result<loader::Inspection> InspectedModules::inspect(
    const config::ModuleSettings& module, const config::AgentSettings& agent,
    const std::vector<config::UserId>& owners) const {
  const auto instead = files_.find(module.name);
  const Result<std::string> path = loader::find_module_file(
      instead == files_.end() ? module.library : instead->second, folders_of(agent));
  if (!path) return path.error();
  loader::InspectionOptions checks;
  checks.required_sha256 = module.sha256;
  checks.signatures = {agent.signatures.keys_dir, agent.signatures.required};
  checks.owners = owners;
  return loader::inspect_module(*path, checks);
}

void InspectedModules::expect(const std::vector<config::ModuleSettings>& modules,
                              const config::AgentSettings& agent) {
  expected_.clear();
  const Result<std::vector<config::UserId>> owners = config::owners_of_code(agent);
  if (!owners) return;  // `describe` says so
  std::vector<const config::ModuleSettings*> enabled;
  for (const auto& module : modules) {
    if (module.enabled) enabled.push_back(&module);
  }
  std::vector<std::optional<Result<loader::Inspection>>> read(enabled.size());
  for_each_at_once(enabled.size(), [&](size_t each) {
    read[each].emplace(inspect(*enabled[each], agent, *owners));
  });
  for (size_t i = 0; i < read.size(); ++i) {
    expected_.emplace(enabled[i]->name, std::move(*read[i]));
  }
}

Result<config::ModuleSchema> InspectedModules::describe(const config::ModuleSettings& module,
                                                        const config::AgentSettings& agent) {
  described_.erase(module.name);
  auto expected = expected_.extract(module.name);
  Result<loader::Inspection> inspection =
      expected.empty() ? inspect(module, agent) : std::move(expected.mapped());
  Result<config::ModuleSchema> schema =
      inspection ? Result<config::ModuleSchema>(schema_of(inspection->facts->description))
                 : Result<config::ModuleSchema>(inspection.error());
  described_.emplace(module.name, std::move(inspection));
  return schema;
}

Result<loader::Inspection> InspectedModules::take(const config::ModuleSettings& module,
                                                  const config::AgentSettings& agent) {
  auto described = described_.extract(module.name);
  if (described.empty()) return inspect(module, agent);
  return std::move(described.mapped());
}

}  // namespace longshore::core
