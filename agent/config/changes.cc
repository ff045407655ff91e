#include "config/changes.h"

#include "config/entries.h"

namespace longshore::config {
namespace {

// `the module "disk"` for "modules.disk".
std::string owner_of(const std::string& table) {
  const char* const kind = table.starts_with("modules.")       ? "the module \""
                           : table.starts_with("controllers.") ? "the controller \""
                                                               : "the endpoint \"";
  return kind + table.substr(table.find('.') + 1) + '"';
}

std::string sentence_of(const Difference& difference) {
  using Kind = Difference::Kind;
  const Entry* before = difference.old_entry;
  const Entry* after = difference.new_entry;
  switch (difference.kind) {
    case Kind::kTableAdded:
      return owner_of(difference.table) + " is added";
    case Kind::kTableRemoved:
      return owner_of(difference.table) + " is removed";
    case Kind::kAdded:
      return after->path() + (after->is_secret ? " is set" : " is set to " + after->text);
    case Kind::kRemoved:
      return before->path() + " is removed";
    case Kind::kChanged:
      break;
  }
  if (after->is_secret) return after->path() + " is changed";
  return after->path() + " is changed from " + before->text + " to " + after->text;
}

}  // namespace

Changes changes_between(const Configuration& old_one, const Configuration& new_one) {
  const auto old_entries = entries_of(old_one, {});
  const auto new_entries = entries_of(new_one, {});
  Changes changes;
  for (const Difference& difference : differences(old_entries, new_entries)) {
    changes.sentences.push_back(sentence_of(difference));
    const Entry* entry = difference.new_entry;
    if (entry != nullptr && entry->needs_restart) changes.need_restart.push_back(entry->path());
  }
  return changes;
}

Result<std::vector<std::string>> reload_changes(const Configuration& old_one,
                                                const Configuration& new_one) {
  Changes changes = changes_between(old_one, new_one);
  if (changes.need_restart.empty()) return std::move(changes.sentences);
  std::string keys;
  for (const std::string& key : changes.need_restart) keys += (keys.empty() ? "" : ", ") + key;
  return Error(StatusCode::kFailedPrecondition, "reload")
      .because("only a restart can change " + keys)
      .advise("nothing was changed; restart the agent or take that change back");
}

}  // namespace longshore::config
