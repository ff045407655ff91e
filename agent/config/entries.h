// A configuration as a flat list of keys and values in TOML, for showing and comparing.
#pragma once

#include <string>
#include <vector>

#include "config/loaded.h"

namespace longshore::config {

struct Entry {
  std::string table;  // "modules.disk"
  std::string key;    // as it is written in the table: `enabled`, `methods."v1.Disk/Get".timeout`
  std::string text;   // the value; "(secret)" for a secret
  std::string value;  // the value in any case: to compare, not to show
  bool is_secret = false;
  bool needs_restart = false;

  std::string path() const { return table + '.' + key; }
};

// Every key with its effective value, tables together, in the order of the schema. A setting that
// `schemas` does not know may be a secret and is treated as one.
std::vector<Entry> entries_of(const Configuration& configuration, const ModuleSchemas& schemas);

// An endpoint or a module, or a single key, that two configurations do not have alike.
struct Difference {
  enum class Kind { kTableAdded, kTableRemoved, kAdded, kRemoved, kChanged };
  Kind kind = Kind::kChanged;
  std::string table;
  const Entry* old_entry = nullptr;  // of a key, where the old configuration has it
  const Entry* new_entry = nullptr;
};

// In the order of the keys' names.
std::vector<Difference> differences(const std::vector<Entry>& old_entries,
                                    const std::vector<Entry>& new_entries);

}  // namespace longshore::config
