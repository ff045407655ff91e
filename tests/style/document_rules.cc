#include "tests/style/document_rules.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace longshore::style {
namespace {

// The old name and the one to use.
const std::map<std::string, std::string, std::less<>> kOldNames = {
    {"Beneath", "RootedOpener"},
    {"BoundedCalls", "AbandonableCalls"},
    {"BuiltinTarget", "AdminTarget"},
    {"CallLimits", "Deadline"},
    {"CallToChild", "ChildCall"},
    {"CallsOfChild", "ChildInvocations"},
    {"ControlGroup", "Cgroup"},
    {"ControlGroups", "Cgroups"},
    {"ControlService", "AdminService"},
    {"FloodGuard", "FrameRateLimiter"},
    {"FrameEnds", "PipeTransport"},
    {"AnswerInbox", "ResponseInbox"},
    {"AnswerPump", "ResponsePump"},
    {"FramePipes", "FrameChannel"},
    {"HostBridge", "HostTable"},
    {"Life", "Lifecycle"},
    {"LifeState", "LifecycleState"},
    {"MessageIntake", "MessageDeframer"},
    {"Mounting", "ShareMounter"},
    {"Mutations", "SingleFlight"},
    {"RetiredInstances", "DrainingInstances"},
    {"RouteMaker", "RouteTableBuilder"},
    {"Stretch", "ByteRange"},
    {"ToldMessage", "RedactedJson"},
    {"Versions", "ApiAdapter"},
    {"VolumeIndex", "VolumeFinder"},
    {"WaitingRoom", "CallHoldQueue"},
    {"command_words", "cli_completion"},
    {"longshore_answer", "longshore_result"},
};

// "HostBridge" as a file is called: "host_bridge".
std::string snake_case(std::string_view name) {
  std::string snake;
  for (const char c : name) {
    const bool is_upper = std::isupper(static_cast<unsigned char>(c)) != 0;
    if (is_upper && !snake.empty()) snake += '_';
    snake += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return snake;
}

// As GitHub makes the anchor of a heading.
std::string anchor_of(std::string_view heading) {
  std::string anchor;
  for (const char c : heading) {
    if (c == ' ') {
      anchor += '-';
    } else if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_') {
      anchor += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
  }
  return anchor;
}

std::set<std::string> anchors_of(const std::string& text) {
  std::set<std::string> anchors;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const size_t level = line.find_first_not_of('#');
    if (level == 0 || level == std::string::npos || line[level] != ' ') continue;
    anchors.insert(anchor_of(std::string_view(line).substr(level + 1)));
  }
  return anchors;
}

// Why a link leads nowhere; empty if it leads somewhere.
std::string fault_of(const SourceTree& tree, const std::string& from, const std::string& link) {
  const size_t hash = link.find('#');
  const std::string file = link.substr(0, hash);
  const std::filesystem::path folder = std::filesystem::path(from).parent_path();
  const std::string path =
      file.empty() ? from : (folder / file).lexically_normal().generic_string();
  const auto found = tree.find(path);
  if (found == tree.end()) {
    const std::string inside = path.ends_with('/') ? path : path + "/";
    const auto below = tree.lower_bound(inside);
    if (below == tree.end() || !below->first.starts_with(inside)) return "no file of ours";
    return hash == std::string::npos ? "" : "a folder has no headings";
  }
  if (hash == std::string::npos) return {};
  const bool known = anchors_of(found->second.text).contains(link.substr(hash + 1));
  return known ? "" : "no heading of " + path;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

size_t indentation(std::string_view line) {
  return std::min(line.find_first_not_of(' '), line.size());
}

bool begins_entry(std::string_view line) {
  return line.substr(indentation(line)).starts_with("- ");
}

// What YAML says of the list's entry that `line` is a part of.
std::string entry_around(const std::vector<std::string>& lines, size_t line) {
  size_t first = line;
  while (first > 0 && !begins_entry(lines[first])) --first;
  const size_t column = indentation(lines[first]);
  std::string entry = lines[first];
  for (size_t next = first + 1; next < lines.size(); ++next) {
    if (indentation(lines[next]) <= column) break;
    entry += "\n" + lines[next];
  }
  return entry;
}

// "::Name" of no namespace is a function of the system's, and keeps its name.
bool is_global(std::string_view code, size_t begin) {
  const std::string_view before = code.substr(0, begin);
  return before.ends_with("::") && (before.size() == 2 || !is_word(before[before.size() - 3]));
}

}  // namespace

Findings check_links(const SourceTree& tree) {
  static const std::regex kLink(R"(\]\(([^)\s]+)\))");
  Findings findings;
  for (const auto& [path, file] : tree) {
    if (!path.ends_with(".md")) continue;
    for (std::sregex_iterator it(file.text.begin(), file.text.end(), kLink), end; it != end; ++it) {
      const std::string link = it->str(1);
      if (link.find("://") != std::string::npos) continue;
      const std::string fault = fault_of(tree, path, link);
      if (fault.empty()) continue;
      const int line = line_of(file.text, static_cast<size_t>(it->position(1)));
      findings.push_back(finding(path, line, link + " is " + fault));
    }
  }
  return findings;
}

Findings check_old_names(const SourceTree& tree) {
  Findings findings;
  for (const auto& [path, file] : tree) {
    // Tests have words of their own, and may say what was; this file names them all.
    if (!is_cpp(path) || folder(path) == "tests") continue;
    const std::string stem = std::filesystem::path(path).stem().string();
    for (const auto& [old, now] : kOldNames) {
      if (stem == snake_case(old))
        findings.push_back(finding(path, 1, stem + " is " + now + " now"));
    }
    const std::string_view code = file.symbols;
    for (size_t begin = 0; begin < code.size();) {
      size_t end = begin;
      while (end < code.size() && is_word(code[end])) ++end;
      const auto old = kOldNames.find(code.substr(begin, end - begin));
      if (old != kOldNames.end() && !is_global(code, begin)) {
        const int line = line_of(file.symbols, begin);
        findings.push_back(finding(path, line, old->first + " is called " + old->second + " now"));
      }
      begin = std::max(end, begin + 1);
    }
  }
  return findings;
}

Findings check_security_chapter(const SourceTree& tree) {
  constexpr const char* kReadme = "README.md";
  constexpr const char* kChapter = "## Security";
  constexpr size_t kMostLines = 60;
  const auto readme = tree.find(kReadme);
  if (readme == tree.end()) return {finding(kReadme, 1, "it is not there")};
  const std::vector<std::string> lines = lines_of(readme->second.text);
  const auto is_heading = [](const std::string& line) { return line.starts_with("## "); };
  const auto begin = std::ranges::find(lines, kChapter);
  if (begin == lines.end()) return {finding(kReadme, 1, "it has no chapter \"Security\"")};
  const auto end = std::find_if(begin + 1, lines.end(), is_heading);
  const int line = 1 + static_cast<int>(begin - lines.begin());
  Findings findings;
  if (const auto count = static_cast<size_t>(end - begin); count > kMostLines) {
    findings.push_back(finding(kReadme, line,
                               "the chapter has " + std::to_string(count) +
                                   " lines and is to have " + std::to_string(kMostLines) +
                                   " at most"));
  }
  for (const std::string part : {"**Promised**", "**Not promised.**", "**Reporting.**"}) {
    const auto has_part = [&](const std::string& each) { return each.starts_with(part); };
    if (std::none_of(begin, end, has_part)) {
      findings.push_back(finding(kReadme, line, "the chapter has no " + part));
    }
  }
  return findings;
}

Findings check_socket_mounts(const SourceTree& tree) {
  static const std::regex kMount(R"re(mountPath: *["']?/run/longshore(?![-\w]))re");
  static const std::regex kReadOnly(R"(\breadOnly: *true\b)");
  Findings findings;
  for (const auto& [path, file] : tree) {
    if (folder(path) != "deploy") continue;
    const std::vector<std::string> lines = lines_of(file.text);
    for (size_t i = 0; i < lines.size(); ++i) {
      if (!std::regex_search(lines[i], kMount)) continue;
      if (std::regex_search(entry_around(lines, i), kReadOnly)) continue;
      findings.push_back(finding(path, static_cast<int>(i) + 1,
                                 "a folder of sockets is mounted without \"readOnly: true\""));
    }
  }
  return findings;
}

}  // namespace longshore::style
