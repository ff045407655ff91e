#include "config/entries.h"

#include <algorithm>

#include "config/schema.h"
#include "config/section_tables.h"
#include "config/toml_text.h"

namespace longshore::config {
namespace {

const OptionSchema* find_option(const ModuleSchemas& schemas, const std::string& module,
                                const std::string& name) {
  const auto schema = schemas.find(module);
  if (schema == schemas.end()) return nullptr;
  const auto& options = schema->second.options;
  const auto option = std::find_if(options.begin(), options.end(),
                                   [&](const OptionSchema& one) { return one.name == name; });
  return option == options.end() ? nullptr : &*option;
}

// Adds section after section. The overloads of add_inner() are for tables with names or keys that
// are the administrator's or a module's, and for what is not always shown.
class EntryList {
 public:
  explicit EntryList(const ModuleSchemas& schemas) : schemas_(schemas) {}

  std::vector<Entry> take() { return std::move(entries_); }

  template <typename Section>
  void add(const std::string& table, const Section& section) {
    add_keys(table, "", section);
    visit_tables<Section>([&](const auto& inner) {
      add_inner(section, joined(table, inner.name), section.*inner.member);
    });
  }

 private:
  template <typename Section>
  void add_keys(const std::string& table, const std::string& prefix, const Section& section) {
    for (const SectionKey<Section>& key : section_keys(section)) {
      const std::string text = value_text(key.get(section), key.schema.type);
      entries_.push_back({.table = table,
                          .key = joined(prefix, key.schema.name),
                          .text = text,
                          .value = text,
                          .needs_restart = key.schema.needs_restart});
    }
  }

  void add_inner(const auto&, const std::string& table, const auto& section) {
    add(table, section);
  }

  void add_inner(const auto&, const std::string& table, const std::vector<PermissionRule>& rules) {
    for (const PermissionRule& rule : rules) add(joined(table, rule.name), rule);
  }

  void add_inner(const auto&, const std::string& table, const std::vector<KubeGrant>& grants) {
    for (const KubeGrant& grant : grants) add(joined(table, grant.name), grant);
  }

  void add_inner(const ModuleSettings&, const std::string& table,
                 const LeaderElectionSettings& election) {
    if (!election.lease.empty()) add(table, election);
  }

  void add_inner(const ModuleSettings& module, const std::string&,
                 const std::map<std::string, std::chrono::nanoseconds>& timeouts) {
    for (const auto& [method, timeout] : timeouts) {
      add_keys(module.table(), joined("methods", method), MethodSettings{timeout});
    }
  }

  void add_inner(const ModuleSettings& module, const std::string& table,
                 const ProcessSettings& process) {
    if (module.isolation == "process") add(table, process);
  }

  void add_inner(const ModuleSettings& module, const std::string& table,
                 const std::map<std::string, OptionValue>& settings) {
    for (const auto& [name, value] : settings) {
      const OptionSchema* option = find_option(schemas_, module.name, name);
      const KeyType type = option == nullptr ? KeyType::kString : key_schema(*option).type;
      const bool is_secret = option == nullptr || option->secret;
      const std::string text = value_text(value, type);
      entries_.push_back({.table = table,
                          .key = key_text(name),
                          .text = is_secret ? in_quotes("(secret)") : text,
                          .value = text,
                          .is_secret = is_secret});
    }
  }

  const ModuleSchemas& schemas_;
  std::vector<Entry> entries_;
};

}  // namespace

std::vector<Entry> entries_of(const Configuration& configuration, const ModuleSchemas& schemas) {
  EntryList entries(schemas);
  entries.add("agent", configuration.agent);
  entries.add("endpoints", configuration.csi_proxy);
  for (const EndpointSettings& endpoint : configuration.endpoints) {
    const std::string table = joined("endpoints", endpoint.name);
    entries.add(table, endpoint);
    entries.add(table, endpoint.access);
  }
  for (const ModuleSettings& module : configuration.modules) entries.add(module.table(), module);
  return entries.take();
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
