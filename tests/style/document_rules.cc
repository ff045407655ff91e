#include "tests/style/document_rules.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <sstream>

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
      if (old != kOldNames.end()) {
        const int line = line_of(file.symbols, begin);
        findings.push_back(finding(path, line, old->first + " is called " + old->second + " now"));
      }
      begin = std::max(end, begin + 1);
    }
  }
  return findings;
}

}  // namespace longshore::style
