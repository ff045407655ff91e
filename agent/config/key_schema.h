// What one key of the configuration may be, whether the agent or a module's description names it.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "config/module_catalog.h"
#include "config/node.h"
#include "config/settings.h"

namespace longshore::config {

enum class KeyType {
  kBool,
  kInt,
  kFloat,
  kString,
  kStrings,
  kNames,     // strings, none of them empty, each once
  kDuration,  // as int64_t, in nanoseconds
  kMode,      // of a file, as int64_t
  kPath,      // absolute
  kPaths,
  kAddress,      // unix://<absolute path>
  kHttpAddress,  // that, or <host>:<port>
  kLibrary,      // a file name, or an absolute path
  kIsolation,
  kCapabilities,  // names as in capabilities(7), or "all"
  kPathsOrAll,    // absolute, or "all"
  kSha256,        // 64 hexadecimal digits; read as lower case
  kSddl,          // a security descriptor of Windows'
};

struct KeySchema {
  std::string name;
  KeyType type = KeyType::kString;
  std::string doc;
  bool needs_restart = false;                             // a reload cannot change it
  bool may_be_empty = false;                              // of texts: an empty one means none
  std::vector<std::string> one_of = {};                   // of texts
  std::optional<std::pair<int64_t, int64_t>> range = {};  // of numbers and durations
};

KeySchema key_schema(const OptionSchema& option);

// Reads `node` as the value of `key`. What is wrong goes to `findings`, and there is no value then.
// `path` is the key's full name, for messages.
std::optional<OptionValue> read_value(const Node& node, const KeySchema& key,
                                      const std::string& path, Findings& findings);

// The value as it is written in TOML.
std::string value_text(const OptionValue& value, KeyType type);

}  // namespace longshore::config
