#include "config/sample.h"

#include <algorithm>

#include "config/schema.h"
#include "config/section_tables.h"
#include "config/toml_text.h"

namespace longshore::config {
namespace {

// Appends `text` as comment lines. Texts of modules may have line ends of their own.
void append_comment(std::string& sample, const std::string& text) {
  constexpr size_t kWidth = 100;
  std::string line = "#";
  const auto add_word = [&](std::string& word) {
    if (word.empty()) return;
    if (line.size() > 1 && line.size() + 1 + word.size() > kWidth) {
      sample += line + '\n';
      line = "#";
    }
    line += ' ' + std::exchange(word, {});
  };
  std::string word;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte > 0x20 && byte != 0x7f) {
      word += c;
    } else {
      add_word(word);
    }
  }
  add_word(word);
  sample += line + '\n';
}

// The key's meaning with what else the schema knows: values, range, restart.
std::string doc_of(const KeySchema& key) {
  std::string doc = key.doc;
  if (!key.one_of.empty()) {
    doc += " One of";
    for (const std::string& one : key.one_of) {
      doc += (one == key.one_of.front() ? " " : ", ") + in_quotes(one);
    }
    doc += '.';
  }
  if (key.range) {
    doc += " From " + value_text(key.range->first, key.type) + " to " +
           value_text(key.range->second, key.type) + '.';
  }
  if (key.needs_restart) doc += " A change needs a restart.";
  return doc;
}

// What differs from the default is switched on.
template <typename Section>
void append_section(std::string& sample, const Section& section, const Section& defaults,
                    bool explained) {
  for (const SectionKey<Section>& key : section_keys(section)) {
    const bool is_default = key.get(section) == key.get(defaults);
    if (explained || !is_default) append_comment(sample, doc_of(key.schema));
    sample += (is_default ? "#" : "") + key.schema.name + " = " +
              value_text(key.get(section), key.schema.type) + '\n';
  }
}

template <typename Section>
void append_section(std::string& sample, const Section& section, bool explained) {
  append_section(sample, section, section, explained);
}

// The simplest value that an option without a default may have.
OptionValue placeholder(const OptionSchema& option) {
  const int64_t least = option.range ? option.range->first : 0;
  switch (option.type) {
    case OptionType::kBool:
      return false;
    case OptionType::kInt:
    case OptionType::kDuration:
      return least;
    case OptionType::kFloat:
      return 0.0;
    case OptionType::kString:
      return option.one_of.empty() ? std::string() : option.one_of.front();
    case OptionType::kStrings:
      break;
  }
  return std::vector<std::string>();
}

void append_options(std::string& sample, const ModuleSchema& schema) {
  for (const OptionSchema& option : schema.options) {
    const KeySchema key = key_schema(option);
    append_comment(sample, doc_of(key) + (option.default_value ? "" : " Required."));
    const OptionValue value = option.default_value ? *option.default_value : placeholder(option);
    sample += (option.default_value ? "#" : "") + key_text(option.name) + " = " +
              value_text(value, key.type) + '\n';
  }
}

// An example of a rule.
void append_table(std::string& sample, const std::string& table, const std::vector<PermissionRule>&,
                  const std::string& doc, bool explained = true) {
  const PermissionRule rule{
      .name = "readers", .users = {"*"}, .groups = {}, .methods = {"reads_only"}};
  sample += '\n';
  append_comment(sample, doc);
  sample += "#[" + joined(table, rule.name) + "]\n";
  append_section(sample, rule, explained);
}

// A table that every configuration has, with those in it.
template <typename Section>
void append_table(std::string& sample, const std::string& table, const Section& section,
                  const std::string& doc) {
  sample += '\n';
  if (!doc.empty()) append_comment(sample, doc);
  sample += '[' + table + "]\n";
  append_section(sample, section, true);
  visit_tables<Section>([&](const auto& inner) {
    append_table(sample, joined(table, inner.name), section.*inner.member, inner.doc);
  });
}

void append_example_endpoint(std::string& sample,
                             const std::vector<std::pair<std::string, ModuleSchema>>& modules) {
  EndpointSettings endpoint;
  endpoint.address = kExampleAddress;
  for (const auto& [name, schema] : modules) {
    endpoint.services.insert(endpoint.services.end(), schema.services.begin(),
                             schema.services.end());
  }
  if (endpoint.services.empty()) return;
  sample += '\n';
  append_comment(sample, "A further endpoint, under a name of your choice.");
  sample += "#[endpoints.all]\n";
  append_section(sample, endpoint, true);
  append_comment(sample, "As in csi_proxy_access:");
  append_section(sample, endpoint.access, false);
}

void append_module(std::string& sample, const std::string& name, const ModuleSchema& schema,
                   bool explained) {
  ModuleSettings module;
  module.name = name;
  module.library = "longshore-" + name;
  module.is_controller = schema.is_controller;
  const std::string table = module.table();
  sample += '\n';
  if (!schema.summary.empty()) append_comment(sample, schema.summary);
  sample += '[' + table + "]\n";
  const ModuleSettings defaults = module;
  module.may_call = schema.calls;
  append_section(sample, module, defaults, explained);
  if (!schema.methods.empty()) {
    const auto& timeout = section_keys(MethodSettings{}).front();
    if (explained) append_comment(sample, doc_of(timeout.schema));
    sample += '#' + joined(joined("methods", schema.methods.front()), timeout.schema.name) + " = " +
              value_text(timeout.get({}), timeout.schema.type) + '\n';
  }
  if (explained) {
    append_table(sample, joined(table, "permissions"), module.permissions,
                 "A rule as in csi_proxy_access, for the calls of this module over all "
                 "endpoints and from programs that it is part of: root, and longshorectl "
                 "call, need one too. What an endpoint allows must be allowed here as "
                 "well. Calls of other modules follow their may_call alone.",
                 false);
    sample += '\n';
    append_comment(sample, "For isolation = \"process\": what the process may do and use.");
    sample += "#[" + joined(table, "process") + "]\n";
    append_section(sample, module.process, true);
  }
  if (schema.options.empty()) return;
  sample += "\n[" + joined(table, "settings") + "]\n";
  append_options(sample, schema);
}

}  // namespace

std::string sample(const std::vector<std::pair<std::string, ModuleSchema>>& modules) {
  std::string sample;
  append_comment(sample, "The configuration of the Longshore agent.");
  append_comment(sample, "");
  append_comment(
      sample,
      "A line such as \"#key = value\" shows a default; take the # away to change it. "
      "Files in conf.d beside this file, named *.toml, are read after it in the order "
      "of their names: their values replace those here, and tables are merged. Times "
      "are written as \"250ms\", \"30s\", \"10m\" or \"2h\". A controller, which works of its "
      "own accord, has the tables and keys of a module, but in [controllers.<name>].");
  append_table(sample, "agent", AgentSettings{}, "");
  append_table(sample, "endpoints", CsiProxySettings{}, "");
  append_example_endpoint(sample, modules);
  for (const auto& [name, schema] : modules) {
    append_module(sample, name, schema, name == modules.front().first);
  }
  return sample;
}

}  // namespace longshore::config
