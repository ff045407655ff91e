#include <algorithm>

#include "config/check.h"
#include "config/key_schema.h"
#include "config/schema.h"
#include "config/toml_text.h"

namespace longshore::config {
namespace {

std::vector<std::string> option_names(const ModuleSchema& schema) {
  std::vector<std::string> names;
  for (const OptionSchema& option : schema.options) names.push_back(option.name);
  return names;
}

// Reads what the files say in the settings of `module`; a later file's value replaces an earlier.
void read_settings(const ModuleSchema& schema, ModuleSettings& module, Draft& draft,
                   Findings& findings) {
  const std::string path = joined(module.table(), "settings");
  for (const Member& member : draft.module_settings[path]) {
    const auto option =
        std::find_if(schema.options.begin(), schema.options.end(),
                     [&](const OptionSchema& candidate) { return candidate.name == member.key; });
    if (option == schema.options.end()) {
      findings.add(member.place, unknown_key(path, member.key, option_names(schema)));
      continue;
    }
    const std::string option_path = joined(path, member.key);
    draft.origins.insert_or_assign(option_path, Origin{member.node.place, {}});
    if (auto value = read_value(member.node, key_schema(*option), option_path, findings)) {
      module.settings[member.key] = std::move(*value);
    }
  }
}

void add_defaults(const ModuleSchema& schema, ModuleSettings& module, const Draft& draft,
                  Findings& findings) {
  const std::string path = module.table();
  for (const OptionSchema& option : schema.options) {
    const std::string option_path = joined(joined(path, "settings"), option.name);
    if (draft.origins.contains(option_path)) continue;
    if (option.default_value) {
      module.settings[option.name] = *option.default_value;
    } else {
      findings.add(place_of(draft.origins, {path}),
                   '"' + option_path + "\" is required: " + option.doc);
    }
  }
}

}  // namespace

ModuleSchemas describe_modules(Draft& draft, ModuleCatalog& catalog, bool strict,
                               Findings& findings) {
  ModuleSchemas schemas;
  for (ModuleSettings& module : draft.configuration.modules) {
    if (module.library.empty()) module.library = "longshore-" + module.name;
  }
  catalog.expect(draft.configuration.modules, draft.configuration.agent);
  for (ModuleSettings& module : draft.configuration.modules) {
    const std::string path = module.table();
    if (!module.enabled) continue;
    auto schema = catalog.describe(module, draft.configuration.agent);
    if (!schema) {
      const Place place = place_of(draft.origins, {joined(path, "library"), path});
      if (strict) findings.add(place, schema.error().message());
      continue;
    }
    if (schema->is_controller != module.is_controller) {
      const std::string meant = schema->is_controller ? "controllers." : "modules.";
      findings.add(place_of(draft.origins, {path}),
                   "the library of \"" + path + "\" is " + (schema->is_controller ? "a" : "no") +
                       " controller; write [" + meant + module.name + "]");
    }
    read_settings(*schema, module, draft, findings);
    add_defaults(*schema, module, draft, findings);
    schemas.emplace(module.name, *std::move(schema));
  }
  return schemas;
}

bool all_described(const Configuration& configuration, const ModuleSchemas& schemas) {
  const auto& modules = configuration.modules;
  return std::all_of(modules.begin(), modules.end(), [&](const ModuleSettings& module) {
    return !module.enabled || schemas.contains(module.name);
  });
}

std::string suggestion(const std::string& name, const std::vector<std::string>& valid) {
  const std::string meant = nearest(name, valid);
  return meant.empty() ? "" : "; did you mean " + in_quotes(meant) + '?';
}

Place item_place(const Origins& origins, const std::string& path, size_t index) {
  return origins.find(path)->second.items[index];
}

Place place_of(const Origins& origins, std::initializer_list<std::string> paths) {
  for (const std::string& path : paths) {
    if (const auto origin = origins.find(path); origin != origins.end()) {
      return origin->second.place;
    }
  }
  return {};
}

}  // namespace longshore::config
