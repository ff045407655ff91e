#include "config/show.h"

#include "config/entries.h"
#include "config/toml_text.h"
#include "text/escape.h"

namespace longshore::config {
namespace {

std::string origin_comment(const Loaded& loaded, const std::string& path) {
  const auto origin = loaded.origins.find(path);
  if (origin == loaded.origins.end()) return "  # default";
  const Place& place = origin->second.place;
  return "  # " + text::escaped(loaded.configuration.files[place.file]) + ':' +
         std::to_string(place.line);
}

std::string line_of(const Entry& entry) { return entry.path() + " = " + entry.text; }

// All lines of a table that only one of two configurations has.
void append_table(std::vector<std::string>& lines, char sign, const std::string& table,
                  const std::vector<Entry>& entries) {
  for (const Entry& entry : entries) {
    if (entry.table == table || entry.table.starts_with(table + '.')) {
      lines.push_back(std::string{sign, ' '} + line_of(entry));
    }
  }
}

}  // namespace

std::string show(const Loaded& loaded, bool with_origin) {
  std::string text;
  std::string table;
  for (const Entry& entry : entries_of(loaded.configuration, loaded.schemas)) {
    if (entry.table != table) {
      text += (table.empty() ? "[" : "\n[") + entry.table + "]\n";
      table = entry.table;
    }
    text += entry.key + " = " + entry.text;
    if (with_origin) text += origin_comment(loaded, entry.path());
    text += '\n';
  }
  return text;
}

std::vector<std::string> diff(const Loaded& old_one, const Loaded& new_one) {
  using Kind = Difference::Kind;
  const auto old_entries = entries_of(old_one.configuration, old_one.schemas);
  const auto new_entries = entries_of(new_one.configuration, new_one.schemas);
  std::vector<std::string> lines;
  for (const Difference& difference : differences(old_entries, new_entries)) {
    const Entry* before = difference.old_entry;
    const Entry* after = difference.new_entry;
    if (difference.kind == Kind::kTableAdded) {
      append_table(lines, '+', difference.table, new_entries);
    } else if (difference.kind == Kind::kTableRemoved) {
      append_table(lines, '-', difference.table, old_entries);
    } else if (before != nullptr && after != nullptr && before->text == after->text) {
      lines.push_back("~ " + after->path() + " is changed (secret)");
    } else {
      if (before != nullptr) lines.push_back("- " + line_of(*before));
      if (after == nullptr) continue;
      // A reload refuses the file as a whole then.
      lines.push_back("+ " + line_of(*after) + (after->needs_restart ? "  # needs a restart" : ""));
    }
  }
  return lines;
}

}  // namespace longshore::config
