#include "tests/style/manifest_rules.h"

#include <algorithm>
#include <regex>
#include <set>
#include <sstream>
#include <utility>

namespace longshore::style {
namespace {

bool is_manifest(const std::string& path) {
  return folder(path) == "deploy" && path.ends_with(".yaml");
}

// Whether quotes and brackets of a value are closed, as they are within a line.
bool is_closed(const std::string& value) {
  std::string open;
  char quote = 0;
  for (const char c : value) {
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '{' || c == '[') {
      open += c == '{' ? '}' : ']';
    } else if (c == '}' || c == ']') {
      if (open.empty() || open.back() != c) return false;
      open.pop_back();
    }
  }
  return quote == 0 && open.empty();
}

// Reads a file line by line, and says what is wrong with the next one.
class YamlReader {
 public:
  std::string fault_in(std::string line) {
    if (line.find('\t') != line.npos) return "a tab";
    const size_t comment = line.find(" #");
    if (comment != line.npos) line.erase(comment);
    line.erase(line.find_last_not_of(' ') + 1);
    if (line.empty() || line.front() == '#') return {};
    if (line == "---") {
      *this = {};
      return {};
    }
    size_t indent = line.find_first_not_of(' ');
    while (line.compare(indent, 2, "- ") == 0) {
      if (!enter(indent, true)) return "an item where none can stand";
      has_opened_ = true;
      indent = line.find_first_not_of(' ', indent + 1);
    }
    return fault_of_entry(indent, line.substr(indent));
  }

 private:
  struct Block {
    size_t indent;
    bool has_items;
    std::set<std::string> keys = {};
  };

  // What begins here is in a block that is open, or opens one.
  bool enter(size_t indent, bool is_item) {
    if (blocks_.empty() || indent > blocks_.back().indent) {
      if (!std::exchange(has_opened_, false) && !blocks_.empty()) return false;
      blocks_.push_back({indent, is_item});
      return true;
    }
    // The items of a key may stand at its own column.
    if (is_item && has_opened_ && indent == blocks_.back().indent && !blocks_.back().has_items) {
      has_opened_ = false;
      blocks_.push_back({indent, true});
      return true;
    }
    has_opened_ = false;
    while (!blocks_.empty() && blocks_.back().indent > indent) blocks_.pop_back();
    if (!is_item && blocks_.size() > 1 && blocks_.back().has_items) blocks_.pop_back();
    return !blocks_.empty() && blocks_.back().indent == indent &&
           blocks_.back().has_items == is_item;
  }

  std::string fault_of_entry(size_t indent, const std::string& entry) {
    static const std::regex kKey(R"re(([\w.$/-]+|"[^"]*"):( +(.*))?)re");
    std::smatch match;
    if (!std::regex_match(entry, match, kKey)) {
      if (!std::exchange(has_opened_, false)) return "neither a key nor an item";
      return is_closed(entry) ? "" : "a bracket or quote that is not closed";
    }
    if (!enter(indent, false)) return "a key where none can stand";
    if (!blocks_.back().keys.insert(match[1]).second) return "a key twice: " + match[1].str();
    const std::string value = match[3];
    has_opened_ = value.empty();
    return is_closed(value) ? "" : "a bracket or quote that is not closed";
  }

  std::vector<Block> blocks_;
  bool has_opened_ = false;  // something may begin deeper
};

std::set<std::string> names_in(const std::string& text, const std::string& what_follows) {
  const std::regex name(R"(\bname: *([\w-]+)(?:,|\n) *)" + what_follows + ':');
  std::set<std::string> names;
  for (std::sregex_iterator at(text.begin(), text.end(), name), end; at != end; ++at) {
    names.insert((*at)[1]);
  }
  return names;
}

std::string folder_of(const std::string& path) { return path.substr(0, path.rfind('/') + 1); }

}  // namespace

Findings check_yaml(const SourceTree& tree) {
  Findings findings;
  for (const auto& [path, file] : tree) {
    if (!is_manifest(path)) continue;
    YamlReader reader;
    std::istringstream lines(file.text);
    int number = 0;
    for (std::string line; std::getline(lines, line);) {
      ++number;
      const std::string fault = reader.fault_in(line);
      if (!fault.empty()) findings.push_back(finding(path, number, fault));
    }
  }
  return findings;
}

Findings check_volumes(const SourceTree& tree) {
  Findings findings;
  for (const auto& [path, file] : tree) {
    if (!is_manifest(path)) continue;
    const auto volumes = names_in(
        file.text, "(?:hostPath|emptyDir|configMap|secret|projected|persistentVolumeClaim)");
    for (const std::string& name : names_in(file.text, "mountPath")) {
      if (volumes.contains(name)) continue;
      findings.push_back(
          finding(path, 1, "a container mounts \"" + name + "\", which is no volume"));
    }
  }
  return findings;
}

Findings check_kustomizations(const SourceTree& tree) {
  static const std::regex kResource(R"(\n *- ([\w.-]+\.yaml)\b)");
  Findings findings;
  for (const auto& [path, file] : tree) {
    if (!is_manifest(path) || !path.ends_with("/kustomization.yaml")) continue;
    std::set<std::string> named = {path};
    for (std::sregex_iterator at(file.text.begin(), file.text.end(), kResource), end; at != end;
         ++at) {
      const std::string resource = folder_of(path) + (*at)[1].str();
      named.insert(resource);
      if (!tree.contains(resource)) findings.push_back(finding(path, 1, "there is no " + resource));
    }
    for (const auto& [other, content] : tree) {
      if (!is_manifest(other) || folder_of(other) != folder_of(path)) continue;
      if (!named.contains(other)) findings.push_back(finding(path, 1, other + " is not named"));
    }
  }
  return findings;
}

Findings check_windows_pods(const SourceTree& tree) {
  static const std::regex kMountedPipe(R"re(ath: *['"]?\\\\\.\\pipe)re");
  const auto has = [](const SourceFile& file, std::string_view text) {
    return file.text.find(text) != std::string::npos;
  };
  Findings findings;
  for (const auto& [path, file] : tree) {
    if (!is_manifest(path) || !has(file, "hostProcess: true")) continue;
    for (const char* const needed : {"kubernetes.io/os: windows", "hostNetwork: true"}) {
      if (!has(file, needed)) findings.push_back(finding(path, 1, std::string("no ") + needed));
    }
    if (std::regex_search(file.text, kMountedPipe)) {
      findings.push_back(finding(path, 1, "a pipe is mounted"));
    }
    const auto admits = [&, here = folder_of(path)](const auto& other) {
      return is_manifest(other.first) && folder_of(other.first) == here &&
             has(other.second, "\nkind: Namespace\n") &&
             has(other.second, "pod-security.kubernetes.io/enforce: privileged\n");
    };
    const bool is_admitted = std::any_of(tree.begin(), tree.end(), admits);
    if (!is_admitted) {
      findings.push_back(finding(path, 1, "no namespace beside it admits privileged pods"));
    }
  }
  return findings;
}

}  // namespace longshore::style
