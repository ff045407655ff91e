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
const std::map<std::string, std::string> kOldNames = {
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
  static const std::regex kWord(R"(\b[A-Za-z_]\w*\b)");
  Findings findings;
  for (const auto& [path, file] : tree) {
    const bool is_code = is_cpp(path) || path.ends_with(".hpp");
    // Tests have words of their own, and may say what was; this file names them all.
    if (!is_code || folder(path) == "tests") continue;
    const std::string& code = file.symbols;
    for (std::sregex_iterator it(code.begin(), code.end(), kWord), end; it != end; ++it) {
      const auto old = kOldNames.find(it->str());
      if (old == kOldNames.end()) continue;
      const int line = line_of(code, static_cast<size_t>(it->position()));
      findings.push_back(finding(path, line, old->first + " is called " + old->second + " now"));
    }
  }
  return findings;
}

}  // namespace longshore::style
