#include "config/entries.h"

#include <algorithm>

#include "config/schema.h"
#include "config/toml_text.h"

namespace longshore::config {
namespace {

template <typename Section>
void append(std::vector<Entry>& entries, const std::string& table, const Section& section) {
  for (const SectionKey<Section>& key : section_keys<Section>()) {
    const std::string text = value_text(key.get(section), key.schema.type);
    entries.push_back({.table = table,
                       .key = key.schema.name,
                       .text = text,
                       .value = text,
                       .needs_restart = key.schema.needs_restart});
  }
}

void append_permissions(std::vector<Entry>& entries, const std::string& table,
                        const std::vector<PermissionRule>& rules) {
  for (const PermissionRule& rule : rules) {
    append(entries, joined(joined(table, "permissions"), rule.name), rule);
  }
}

const OptionSchema* find_option(const ModuleSchemas& schemas, const std::string& module,
                                const std::string& name) {
  const auto schema = schemas.find(module);
  if (schema == schemas.end()) return nullptr;
  const auto& options = schema->second.options;
  const auto option = std::find_if(options.begin(), options.end(),
                                   [&](const OptionSchema& one) { return one.name == name; });
  return option == options.end() ? nullptr : &*option;
}

void append_settings(std::vector<Entry>& entries, const std::string& table,
                     const ModuleSettings& module, const ModuleSchemas& schemas) {
  for (const auto& [name, value] : module.settings) {
    const OptionSchema* option = find_option(schemas, module.name, name);
    const KeyType type = option == nullptr ? KeyType::kString : key_schema(*option).type;
    const bool is_secret = option == nullptr || option->secret;
    const std::string text = value_text(value, type);
    entries.push_back({.table = table,
                       .key = key_text(name),
                       .text = is_secret ? in_quotes("(secret)") : text,
                       .value = text,
                       .is_secret = is_secret});
  }
}

}  // namespace

std::vector<Entry> entries_of(const Configuration& configuration, const ModuleSchemas& schemas) {
  std::vector<Entry> entries;
  append(entries, "agent", configuration.agent);
  append(entries, "agent.log", configuration.agent.log);
  append(entries, "agent.http", configuration.agent.http);
  append(entries, "agent.audit", configuration.agent.audit);
  append(entries, "agent.signatures", configuration.agent.signatures);
  append(entries, "agent.limits", configuration.agent.limits);
  append(entries, "endpoints", configuration.csi_proxy);
  append(entries, "endpoints.csi_proxy_access", configuration.csi_proxy.access);
  append_permissions(entries, "endpoints.csi_proxy_access",
                     configuration.csi_proxy.access.permissions);
  for (const EndpointSettings& endpoint : configuration.endpoints) {
    const std::string table = joined("endpoints", endpoint.name);
    append(entries, table, endpoint);
    append(entries, table, endpoint.access);
    append_permissions(entries, table, endpoint.access.permissions);
  }
  for (const ModuleSettings& module : configuration.modules) {
    const std::string table = module.table();
    append(entries, table, module);
    for (const auto& [method, timeout] : module.method_timeouts) {
      const size_t first = entries.size();
      append(entries, table, MethodSettings{timeout});
      const std::string method_path = joined("methods", method);
      for (size_t i = first; i < entries.size(); ++i) {
        entries[i].key = joined(method_path, entries[i].key);
      }
    }
    append_permissions(entries, table, module.permissions);
    if (module.isolation == "process") append(entries, joined(table, "process"), module.process);
    append_settings(entries, joined(table, "settings"), module, schemas);
  }
  return entries;
}

namespace {

using ByPath = std::map<std::string, const Entry*>;

ByPath by_path(const std::vector<Entry>& entries) {
  ByPath paths;
  for (const Entry& entry : entries) paths.emplace(entry.path(), &entry);
  return paths;
}

// Whether an endpoint or module, "modules.disk", is among the keys.
bool has_table(const ByPath& paths, const std::string& table) {
  const auto at = paths.lower_bound(table + '.');
  return at != paths.end() && at->first.starts_with(table + '.');
}

// "modules.disk" for everything beneath it; empty for keys that every configuration has.
std::string optional_table(const Entry& entry) {
  const size_t dot = entry.table.find('.');
  if (dot == std::string::npos || entry.table.starts_with("agent.")) return {};
  return entry.table.substr(0, entry.table.find('.', dot + 1));
}

}  // namespace

std::vector<Difference> differences(const std::vector<Entry>& old_entries,
                                    const std::vector<Entry>& new_entries) {
  using Kind = Difference::Kind;
  const ByPath old_paths = by_path(old_entries);
  const ByPath new_paths = by_path(new_entries);
  ByPath all = old_paths;
  all.insert(new_paths.begin(), new_paths.end());
  std::vector<Difference> found;
  for (const auto& [path, entry] : all) {
    const auto in_old = old_paths.find(path);
    const auto in_new = new_paths.find(path);
    const Entry* before = in_old == old_paths.end() ? nullptr : in_old->second;
    const Entry* after = in_new == new_paths.end() ? nullptr : in_new->second;
    if (before != nullptr && after != nullptr) {
      if (before->value != after->value) found.push_back({Kind::kChanged, {}, before, after});
      continue;
    }
    const std::string table = optional_table(*entry);
    if (has_table(before == nullptr ? old_paths : new_paths, table)) {
      found.push_back({before == nullptr ? Kind::kAdded : Kind::kRemoved, {}, before, after});
    } else if (found.empty() || found.back().table != table) {
      found.push_back(
          {before == nullptr ? Kind::kTableAdded : Kind::kTableRemoved, table, nullptr, nullptr});
    }
  }
  return found;
}

}  // namespace longshore::config
