#include "config/draft.h"

#include <algorithm>

#include "config/schema.h"
#include "config/section_tables.h"
#include "config/toml_text.h"

namespace longshore::config {
namespace {

template <typename Section>
void append_names(std::vector<std::string>& names, const Section& section) {
  for (const auto& key : section_keys(section)) names.push_back(key.schema.name);
  visit_tables<Section>([&](const auto& table) { names.emplace_back(table.name); });
}

// The one of `named`, which is sorted, that has this name; made if there is none.
template <typename Named>
Named& by_name(std::vector<Named>& named, const std::string& name) {
  auto at = std::lower_bound(
      named.begin(), named.end(), name,
      [](const Named& one, const std::string& wanted) { return one.name < wanted; });
  if (at == named.end() || at->name != name) {
    at = named.insert(at, Named{});
    at->name = name;
  }
  return *at;
}

class FileReader {
 public:
  FileReader(Draft& draft, Findings& findings) : draft_(draft), findings_(findings) {}

  void top(const Node::Table& table) {
    for (const Member& member : table) {
      if (member.key == "agent") {
        read_table(member, "agent", draft_.configuration.agent);
      } else if (member.key == "endpoints") {
        if (const auto* inner = table_of(member, "endpoints")) endpoints(*inner);
      } else if (member.key == "modules" || member.key == "controllers") {
        if (const auto* inner = table_of(member, member.key)) modules(*inner, member.key);
      } else {
        findings_.add(member.place, unknown_key("", member.key,
                                                {"agent", "controllers", "endpoints", "modules"}));
      }
    }
  }

 private:
  void endpoints(const Node::Table& table) {
    CsiProxySettings& csi_proxy = draft_.configuration.csi_proxy;
    for (const Member& member : table) {
      const std::string path = joined("endpoints", member.key);
      if (read(member, "endpoints", csi_proxy)) continue;
      if (member.node.table() == nullptr) {
        unknown(member, "endpoints", csi_proxy);
      } else if (named(member, path, "an endpoint")) {
        auto& endpoint = by_name(draft_.configuration.endpoints, member.key);
        read_table(member, path, endpoint, endpoint.access);
      }
    }
  }

  void modules(const Node::Table& table, const std::string& kind) {
    const bool are_controllers = kind == "controllers";
    for (const Member& member : table) {
      const std::string path = joined(kind, member.key);
      if (table_of(member, path) == nullptr ||
          !named(member, path, are_controllers ? "a controller" : "a module")) {
        continue;
      }
      auto& modules = draft_.configuration.modules;
      const bool is_known = std::any_of(modules.begin(), modules.end(), [&](const auto& module) {
        return module.name == member.key;
      });
      ModuleSettings& settings = by_name(modules, member.key);
      if (!is_known) settings.is_controller = are_controllers;
      if (settings.is_controller == are_controllers) {
        read_table(member, path, settings);
      } else {
        findings_.add(member.place, '"' + path + "\" has the name of \"" + settings.table() +
                                        "\"; give one of them another");
      }
    }
  }

  // A table of the keys and tables of all `Sections`.
  template <typename... Sections>
  void read_table(const Member& member, const std::string& path, Sections&... into) {
    const auto* table = table_of(member, path);
    if (table == nullptr) return;
    for (const Member& inner : *table) {
      if (!(read(inner, path, into) || ...)) unknown(inner, path, into...);
    }
  }

  void read_table(const Member& member, const std::string& path,
                  std::map<std::string, OptionValue>&) {
    const auto* table = table_of(member, path);
    if (table == nullptr) return;
    Node::Table& all = draft_.module_settings[path];
    all.insert(all.end(), table->begin(), table->end());
  }

  void read_table(const Member& member, const std::string& path,
                  std::map<std::string, std::chrono::nanoseconds>& timeouts) {
    const auto* table = table_of(member, path);
    if (table == nullptr) return;
    for (const Member& inner : *table) {
      const std::string method_path = joined(path, inner.key);
      draft_.origins.insert_or_assign(method_path, Origin{inner.place, {}});
      MethodSettings method;
      read_table(inner, method_path, method);
      if (draft_.origins.contains(joined(method_path, "timeout"))) {
        timeouts[inner.key] = method.timeout;
      } else if (const auto* keys = inner.node.table(); keys != nullptr && keys->empty()) {
        findings_.add(inner.place, '"' + method_path +
                                       "\" says nothing; write timeout = \"10m\", or leave it out");
      }
    }
  }

  // One that is left empty by mistake must not be a controller that runs without a lease.
  void read_table(const Member& member, const std::string& path, LeaderElectionSettings& election) {
    const auto* table = table_of(member, path);
    if (table == nullptr) return;
    if (table->empty()) {
      findings_.add(member.node.place, in_quotes(path) +
                                           " names no lease; write lease = "
                                           "\"<name>\", or leave it out");
    }
    for (const Member& inner : *table) {
      if (!read(inner, path, election)) unknown(inner, path, election);
    }
  }

  void read_table(const Member& member, const std::string& path,
                  std::vector<PermissionRule>& rules) {
    read_named(member, path, rules, "rule", "users, groups and methods");
  }

  void read_table(const Member& member, const std::string& path, std::vector<KubeGrant>& grants) {
    read_named(member, path, grants, "grant", "api_groups, resources and verbs");
  }

  // Tables of keys, each under a name of the administrator's.
  template <typename Named>
  void read_named(const Member& member, const std::string& path, std::vector<Named>& all,
                  const std::string& kind, const std::string& keys) {
    const auto* table = table_of(member, path);
    if (table == nullptr) return;
    if (table->empty()) {
      findings_.add(member.node.place, '"' + path + "\" has no " + kind + "; write [" + path +
                                           ".<name>] with " + keys + ", or leave it out");
    }
    for (const Member& inner : *table) {
      const std::string inner_path = joined(path, inner.key);
      if (table_of(inner, inner_path) == nullptr || !named(inner, inner_path, "a " + kind)) {
        continue;
      }
      read_table(inner, inner_path, by_name(all, inner.key));
    }
  }

  // Reads `member` if `Section` has such a key or table.
  template <typename Section>
  bool read(const Member& member, const std::string& table_path, Section& into) {
    const std::string path = joined(table_path, member.key);
    const auto& keys = section_keys(into);
    const auto key = std::find_if(keys.begin(), keys.end(), [&](const SectionKey<Section>& one) {
      return one.schema.name == member.key;
    });
    if (key == keys.end()) return read_inner(member, path, into);
    if (auto value = read_value(member.node, key->schema, path, findings_)) {
      key->set(into, std::move(*value));
      draft_.origins.insert_or_assign(path, origin_of(member.node));
    } else {
      // What an earlier file said stays, with its origin; the key is not missing in any case.
      draft_.origins.try_emplace(path, origin_of(member.node));
    }
    return true;
  }

  template <typename Section>
  bool read_inner(const Member& member, const std::string& path, Section& into) {
    bool is_table = false;
    visit_tables<Section>([&](const auto& table) {
      if (member.key != table.name) return;
      is_table = true;
      read_table(member, path, into.*table.member);
    });
    return is_table;
  }

  static Origin origin_of(const Node& node) {
    Origin origin{node.place, {}};
    if (const auto* items = std::get_if<Node::Array>(&node.value)) {
      for (const Node& item : *items) origin.items.push_back(item.place);
    } else {
      origin.items.push_back(node.place);
    }
    return origin;
  }

  const Node::Table* table_of(const Member& member, const std::string& path) {
    const Node::Table* table = member.node.table();
    if (table == nullptr) {
      findings_.add(member.node.place,
                    '"' + path + "\" must be a table, not " + std::string(type_name(member.node)));
    }
    return table;
  }

  // Whether the key of `member` can name what its table describes.
  bool named(const Member& member, const std::string& path, std::string_view what) {
    if (!is_name(member.key)) {
      findings_.add(member.place,
                    in_quotes(member.key) + " cannot name " + std::string(what) +
                        "; a name has lower-case letters, digits, - and _, and begins with a "
                        "letter");
      return false;
    }
    draft_.origins.try_emplace(path, Origin{member.node.place, {}});
    return true;
  }

  template <typename... Sections>
  void unknown(const Member& member, const std::string& path, const Sections&... sections) {
    std::vector<std::string> names;
    (append_names(names, sections), ...);
    findings_.add(member.place, unknown_key(path, member.key, names));
  }

  Draft& draft_;
  Findings& findings_;
};

}  // namespace

void read_file(const Node& root, Draft& draft, Findings& findings) {
  FileReader(draft, findings).top(*root.table());
}

std::string unknown_key(const std::string& path, std::string_view key,
                        const std::vector<std::string>& valid) {
  std::string sentence = "unknown key \"" + joined(path, key) + '"';
  if (const std::string meant = nearest(key, valid); !meant.empty()) {
    return sentence + "; did you mean \"" + meant + "\"?";
  }
  if (valid.empty()) return sentence + "; no key is valid here";
  sentence += "; valid here:";
  for (const std::string& name : valid) sentence += (name == valid.front() ? " " : ", ") + name;
  return sentence;
}

}  // namespace longshore::config
