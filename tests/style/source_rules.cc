#include "tests/style/source_rules.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <regex>
#include <set>

namespace longshore::style {
namespace {

constexpr int kMostLines = 500;

const std::set<std::string> kGroups = {"disk",       "disks",       "volume", "volumes",
                                       "filesystem", "filesystems", "smb",    "iscsi"};

// Folders of modules/ that are no group, or whose name is a word besides.
const std::set<std::string_view> kNotLookedFor = {"echo", "support", "system"};

// What makes a configuration of csi-proxy's flags, which are about its groups.
constexpr std::string_view kMayNameGroups = "agent/main/csi_proxy_command_line.cc";

struct Word {
  std::string text;  // in lower case
  size_t offset;
};

// "ListDiskIDs" and "list_disk_ids" are list, disk, ids.
std::vector<Word> words(std::string_view code) {
  std::vector<Word> found;
  bool was_lower = false;
  bool in_word = false;
  for (size_t i = 0; i < code.size(); ++i) {
    const auto c = static_cast<unsigned char>(code[i]);
    const bool is_letter = std::isalpha(c) != 0;
    if (is_letter) {
      if (!in_word || (was_lower && std::isupper(c) != 0)) found.push_back({"", i});
      found.back().text.push_back(static_cast<char>(std::tolower(c)));
    }
    in_word = is_letter;
    was_lower = std::islower(c) != 0;
  }
  return found;
}

// The standard's own: the header, the namespace and its filesystem_error; and a name of Windows'.
std::string without_names_of_others(std::string code) {
  static const std::regex kOthers(
      R"(<filesystem>|(std::filesystem|\bfs)::filesystem_error\b|std::filesystem\b)"
      R"(|\bdwVolumeSerialNumber\b)");
  std::string result;
  size_t done = 0;
  for (std::sregex_iterator it(code.begin(), code.end(), kOthers), end; it != end; ++it) {
    const auto at = static_cast<size_t>(it->position());
    result.append(code, done, at - done).append(static_cast<size_t>(it->length()), ' ');
    done = at + static_cast<size_t>(it->length());
  }
  return result.append(code, done);
}

bool is_ours(std::string_view path) {
  const std::string_view top = folder(path);
  return top == "agent" || top == "sdk" || top == "modules" || top == "plugins";
}

// A longer file is allowed where it is data and nobody reads it as code.
bool has_a_length(std::string_view path) {
  return is_cpp(path) || path.ends_with(".sh") || path.ends_with(".cmake") ||
         path.ends_with(".proto") || path.ends_with("CMakeLists.txt");
}

bool has_guard(std::string_view text, const SourceFile& file) {
  if (text.find("\n#pragma once\n") != std::string_view::npos ||
      text.starts_with("#pragma once\n")) {
    return true;
  }
  static const std::regex kGuard(R"(^\s*#ifndef (\w+)\n#define (\w+)\n)");
  std::smatch match;
  return std::regex_search(file.code, match, kGuard) && match[1] == match[2];
}

void search(const std::string& text, const std::regex& pattern, std::string_view path,
            std::string_view sentence, Findings& findings) {
  for (std::sregex_iterator it(text.begin(), text.end(), pattern), end; it != end; ++it) {
    const int line = line_of(text, static_cast<size_t>(it->position(1)));
    findings.push_back(finding(path, line, it->str(1) + " " + std::string(sentence)));
  }
}

}  // namespace

Findings check_group_names(const SourceTree& tree) {
  Findings findings;
  for (const auto& [path, file] : tree) {
    if (folder(path) == "modules" && path.ends_with("/module.cc") &&
        !kGroups.contains(std::string(folder(path, 1))) &&
        !kNotLookedFor.contains(folder(path, 1))) {
      findings.push_back(finding(path, 0, "its group is missing in kGroups of this check"));
    }
    if (folder(path) != "agent" || path == kMayNameGroups) continue;
    const std::string code = without_names_of_others(file.code);
    for (const Word& word : words(code)) {
      if (kGroups.contains(word.text)) {
        findings.push_back(finding(path, line_of(code, word.offset), word.text + " is a group"));
      }
    }
    for (const Word& word : words(path)) {
      if (kGroups.contains(word.text)) findings.push_back(finding(path, 0, "its name has a group"));
    }
  }
  return findings;
}

Findings check_shape(const SourceTree& tree) {
  Findings findings;
  for (const auto& [path, file] : tree) {
    const auto lines = std::ranges::count(file.text, '\n');
    if (has_a_length(path) && lines > kMostLines) {
      findings.push_back(finding(path, static_cast<int>(lines), "has more than 500 lines"));
    }
    if (is_header(path) && !has_guard(file.text, file)) {
      findings.push_back(finding(path, 1, "has no #pragma once and no guard"));
    }
  }
  return findings;
}

Findings check_generated(const SourceTree& tree) {
  static const std::regex kGenerated(
      R"(\.pb\.(h|cc)$|(^|/)module_description\.h$|(^|/)CMakeCache\.txt$)");
  Findings findings;
  for (const auto& [path, file] : tree) {
    if (std::regex_search(path, kGenerated)) {
      findings.push_back(finding(path, 1, "is generated and belongs into the build tree"));
    }
  }
  return findings;
}

Findings check_shells(const SourceTree& tree) {
  // A call of the function: `error.system()` is another one's member.
  static const std::regex kCall(
      R"((?:^|[^\w.>&])((?:std::|::)?(?:system|popen|_popen|_wsystem|wordexp))\s*\(\s*[^)\s])");
  static const std::regex kShell(
      R"x("((?:/usr)?/bin/(?:ba|da)?sh|cmd\.exe|powershell(?:\.exe)?)")x", std::regex::icase);
  Findings findings;
  for (const auto& [path, file] : tree) {
    if (!is_cpp(path)) continue;
    search(file.symbols, kCall, path, "starts a shell", findings);
    if (is_ours(path)) search(file.code, kShell, path, "is a shell", findings);
  }
  return findings;
}

Findings check_hosts(const SourceTree& tree) {
  static const std::regex kHost(R"(\bhttps?://([A-Za-z0-9.\-]*[A-Za-z0-9]))");
  // The last is the name of an XML namespace, which nobody asks.
  static const std::set<std::string> kAllowed = {"localhost", "127.0.0.1", "example.com",
                                                 "github.com", "schemas.microsoft.com"};
  Findings findings;
  for (const auto& [path, file] : tree) {
    if (path == "LICENSE") continue;  // not our words
    for (std::sregex_iterator it(file.text.begin(), file.text.end(), kHost), end; it != end; ++it) {
      const std::string host = it->str(1);
      if (kAllowed.contains(host) || host.ends_with(".example")) continue;
      const int line = line_of(file.text, static_cast<size_t>(it->position()));
      findings.push_back(finding(path, line, host + " is a host on the network"));
    }
  }
  return findings;
}

}  // namespace longshore::style
