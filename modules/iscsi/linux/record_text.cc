#include "iscsi/linux/record_text.h"

#include <algorithm>

namespace longshore::iscsi {

using support::Secret;

namespace {

constexpr std::string_view kEnd = "# END RECORD";
constexpr std::string_view kWhiteSpace = " \t\r\n";
constexpr std::string_view kPortalMark = "# Longshore: connected through ";

// Takes the next line, with its end, off the text.
std::string_view take_line(std::string_view& text) {
  const std::string_view line = text.substr(0, std::min(text.find('\n'), text.size() - 1) + 1);
  text.remove_prefix(line.size());
  return line;
}

std::string_view trimmed(std::string_view line) {
  const size_t first = line.find_first_not_of(kWhiteSpace);
  if (first == line.npos) return {};
  return line.substr(first, line.find_last_not_of(kWhiteSpace) - first + 1);
}

// "node.startup" of "node.startup = manual"; "" for comments and empty lines.
std::string_view name_in(std::string_view line) {
  line = trimmed(line);
  if (line.starts_with('#')) return {};
  return line.substr(0, std::min(line.find_first_of(" \t="), line.size()));
}

// "manual" of "node.startup = manual".
std::string_view value_in(std::string_view line) {
  const size_t equals = line.find('=');
  return equals == line.npos ? std::string_view() : trimmed(line.substr(equals + 1));
}

// The record with this as its first line, and without the lines that begin so.
Secret with_mark(std::string_view record, std::string_view mark, std::string_view beginning) {
  Secret marked = Secret::copy_of(mark);
  marked.append("\n");
  while (!record.empty()) {
    const std::string_view line = take_line(record);
    if (!trimmed(line).starts_with(beginning)) marked.append(line);
  }
  return marked;
}

bool has_mark(std::string_view record, std::string_view mark) {
  while (!record.empty()) {
    if (trimmed(take_line(record)) == mark) return true;
  }
  return false;
}

void append_settings(Secret& record, const std::vector<RecordSetting>& settings) {
  if (!record.empty() && record.text().back() != '\n') record.append("\n");
  for (const RecordSetting& setting : settings) {
    if (!setting.value) continue;
    record.append(setting.name);
    record.append(" = ");
    record.append(*setting.value);
    record.append("\n");
  }
}

}  // namespace

Secret change_record(std::string_view record, const std::vector<RecordSetting>& settings) {
  Secret changed;
  bool are_in = false;
  while (!record.empty()) {
    const std::string_view line = take_line(record);
    if (std::ranges::find(settings, name_in(line), &RecordSetting::name) != settings.end())
      continue;
    if (!are_in && trimmed(line) == kEnd) {
      append_settings(changed, settings);
      are_in = true;
    }
    changed.append(line);
  }
  if (!are_in) append_settings(changed, settings);
  return changed;
}

bool is_whole_record(std::string_view record) {
  bool has_target = false, has_portal = false;
  while (!record.empty()) {
    const std::string_view line = take_line(record);
    if (value_in(line).empty()) continue;
    has_target |= name_in(line) == "node.name";
    has_portal |= name_in(line) == "node.conn[0].address";
  }
  return has_target && has_portal;
}

bool has_secrets_mark(std::string_view record) { return has_mark(record, kSecretsMark); }

Secret with_secrets_mark(std::string_view record) {
  return with_mark(record, kSecretsMark, kSecretsMark);
}

bool has_portal_mark(std::string_view record, std::string_view portal) {
  return has_mark(record, std::string(kPortalMark).append(portal));
}

Secret with_portal_mark(std::string_view record, std::string_view portal) {
  return with_mark(record, std::string(kPortalMark).append(portal), kPortalMark);
}

Secret without_secrets(std::string_view record, const std::vector<std::string_view>& ours) {
  const bool are_all_ours = has_secrets_mark(record);
  const auto is_ours = [&](std::string_view line) {
    const std::string_view name = name_in(line);
    if (name != kPassword && name != kPasswordOfTarget) return false;
    return are_all_ours || std::ranges::find(ours, value_in(line)) != ours.end();
  };
  Secret clean;
  while (!record.empty()) {
    const std::string_view line = take_line(record);
    if (trimmed(line) != kSecretsMark && !is_ours(line)) clean.append(line);
  }
  return clean;
}

}  // namespace longshore::iscsi
