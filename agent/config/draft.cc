#include "config/draft.h"

#include <algorithm>

#include "config/schema.h"
#include "config/toml_text.h"

namespace longshore::config {
namespace {

template <typename Section>
void append_names(std::vector<std::string>& names) {
  for (const auto& key : section_keys<Section>()) names.push_back(key.schema.name);
}

// The names of the keys of all `Sections`, with `more`.
template <typename... Sections>
std::vector<std::string> names_of(std::vector<std::string> more = {}) {
  std::vector<std::string> names;
  (append_names<Sections>(names), ...);
  names.insert(names.end(), more.begin(), more.end());
  return names;
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
        if (const auto* inner = table_of(member, "agent")) agent(*inner);
      } else if (member.key == "endpoints") {
        if (const auto* inner = table_of(member, "endpoints")) endpoints(*inner);
      } else if (member.key == "modules") {
        if (const auto* inner = table_of(member, "modules")) modules(*inner, false);
      } else if (member.key == "controllers") {
        if (const auto* inner = table_of(member, "controllers")) modules(*inner, true);
      } else {
        unknown(member, "", {"agent", "controllers", "endpoints", "modules"});
      }
    }
  }

 private:
  void agent(const Node::Table& table) {
    AgentSettings& agent = draft_.configuration.agent;
    for (const Member& member : table) {
      if (member.key == "log") {
        section(member, "agent.log", agent.log);
      } else if (member.key == "http") {
        section(member, "agent.http", agent.http);
      } else if (member.key == "audit") {
        section(member, "agent.audit", agent.audit);
      } else if (member.key == "signatures") {
        section(member, "agent.signatures", agent.signatures);
      } else if (member.key == "limits") {
        section(member, "agent.limits", agent.limits);
      } else if (!read(member, "agent", agent)) {
        unknown(member, "agent",
                names_of<AgentSettings>({"log", "http", "audit", "signatures", "limits"}));
      }
    }
  }

  void endpoints(const Node::Table& table) {
    CsiProxySettings& csi_proxy = draft_.configuration.csi_proxy;
    for (const Member& member : table) {
      const std::string path = joined("endpoints", member.key);
      if (member.key == "csi_proxy_access") {
        csi_proxy_access(member, path, csi_proxy.access);
      } else if (read(member, "endpoints", csi_proxy)) {
        continue;
      } else if (member.node.table() == nullptr) {
        unknown(member, "endpoints", names_of<CsiProxySettings>({"csi_proxy_access"}));
      } else if (named(member, path, "an endpoint")) {
        endpoint(*member.node.table(), path, by_name(draft_.configuration.endpoints, member.key));
      }
    }
  }

  void csi_proxy_access(const Member& member, const std::string& path, AccessSettings& access) {
    const auto* table = table_of(member, path);
    if (table == nullptr) return;
    for (const Member& inner : *table) {
      if (!read_permissions(inner, path, access.permissions) && !read(inner, path, access)) {
        unknown(inner, path, names_of<AccessSettings>({"permissions"}));
      }
    }
  }

  void endpoint(const Node::Table& table, const std::string& path, EndpointSettings& endpoint) {
    for (const Member& member : table) {
      if (!read_permissions(member, path, endpoint.access.permissions) &&
          !read(member, path, endpoint) && !read(member, path, endpoint.access)) {
        unknown(member, path, names_of<EndpointSettings, AccessSettings>());
      }
    }
  }

  void modules(const Node::Table& table, bool are_controllers) {
    for (const Member& member : table) {
      const std::string path = joined(are_controllers ? "controllers" : "modules", member.key);
      const auto* inner = table_of(member, path);
      if (inner == nullptr || !named(member, path, are_controllers ? "a controller" : "a module")) {
        continue;
      }
      auto& modules = draft_.configuration.modules;
      const bool is_known = std::any_of(modules.begin(), modules.end(), [&](const auto& module) {
        return module.name == member.key;
      });
      ModuleSettings& settings = by_name(modules, member.key);
      if (!is_known) settings.is_controller = are_controllers;
      if (settings.is_controller == are_controllers) {
        module(*inner, path, settings);
      } else {
        findings_.add(member.place, '"' + path + "\" has the name of \"" + settings.table() +
                                        "\"; give one of them another");
      }
    }
  }

  void module(const Node::Table& table, const std::string& path, ModuleSettings& module) {
    for (const Member& member : table) {
      const std::string member_path = joined(path, member.key);
      if (member.key == "settings") {
        if (const auto* settings = table_of(member, member_path)) {
          Node::Table& all = draft_.module_settings[module.name];
          all.insert(all.end(), settings->begin(), settings->end());
        }
      } else if (member.key == "process") {
        section(member, member_path, module.process);
      } else if (member.key == "methods") {
        if (const auto* inner = table_of(member, member_path)) methods(*inner, member_path, module);
      } else if (!read_permissions(member, path, module.permissions) &&
                 !read(member, path, module)) {
        unknown(member, path,
                names_of<ModuleSettings>({"methods", "permissions", "process", "settings"}));
      }
    }
  }

  void methods(const Node::Table& table, const std::string& path, ModuleSettings& module) {
    for (const Member& member : table) {
      const std::string method_path = joined(path, member.key);
      draft_.origins.insert_or_assign(method_path, Origin{member.place, {}});
      MethodSettings method;
      section(member, method_path, method);
      if (draft_.origins.contains(joined(method_path, "timeout"))) {
        module.method_timeouts[member.key] = method.timeout;
      } else if (const auto* inner = member.node.table(); inner != nullptr && inner->empty()) {
        findings_.add(
            member.place,
            '"' + method_path + "\" says nothing; write timeout = \"10m\", or leave it out");
      }
    }
  }

  // Reads `member` if it is the table of rules.
  bool read_permissions(const Member& member, const std::string& table_path,
                        std::vector<PermissionRule>& rules) {
    if (member.key != "permissions") return false;
    const std::string path = joined(table_path, member.key);
    const auto* table = table_of(member, path);
    if (table == nullptr) return true;
    if (table->empty()) {
      findings_.add(member.node.place,
                    '"' + path + "\" has no rule; write [" + path +
                        ".<name>] with users, groups and methods, or leave it out");
    }
    for (const Member& rule : *table) {
      const std::string rule_path = joined(path, rule.key);
      if (table_of(rule, rule_path) == nullptr || !named(rule, rule_path, "a rule")) continue;
      section(rule, rule_path, by_name(rules, rule.key));
    }
    return true;
  }

  // A table that is one section and nothing else.
  template <typename Section>
  void section(const Member& member, const std::string& path, Section& into) {
    const auto* table = table_of(member, path);
    if (table == nullptr) return;
    for (const Member& inner : *table) {
      if (!read(inner, path, into)) unknown(inner, path, names_of<Section>());
    }
  }

  // Reads `member` if `Section` has such a key.
  template <typename Section>
  bool read(const Member& member, const std::string& table_path, Section& into) {
    const auto& keys = section_keys<Section>();
    const auto key = std::find_if(keys.begin(), keys.end(), [&](const SectionKey<Section>& one) {
      return one.schema.name == member.key;
    });
    if (key == keys.end()) return false;
    const std::string path = joined(table_path, member.key);
    if (auto value = read_value(member.node, key->schema, path, findings_)) {
      key->set(into, std::move(*value));
      draft_.origins.insert_or_assign(path, origin_of(member.node));
    } else {
      // What an earlier file said stays, with its origin; the key is not missing in any case.
      draft_.origins.try_emplace(path, origin_of(member.node));
    }
    return true;
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

  void unknown(const Member& member, const std::string& path,
               const std::vector<std::string>& valid) {
    findings_.add(member.place, unknown_key(path, member.key, valid));
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
