#include "tests/style/include_rules.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>

namespace longshore::style {
namespace {

// A folder of the agent includes those of lower levels, and none of its own level but itself.
const std::map<std::string_view, int> kAgentLevels = {
    {"files", -1}, {"text", -1},    {"config", 0},   {"observe", 0},   {"rpc", 0},
    {"router", 1}, {"loader", 2},   {"endpoint", 3}, {"supervise", 3}, {"services", 3},
    {"kube", 4},   {"csi", 4},      {"core", 5},     {"embed", 6},     {"tools", 6},
    {"main", 7},   {"sidecars", 8},
};

// Libraries, by how their includes begin. They look the same on every system.
const std::set<std::string_view> kAgentLibraries = {
    "CLI/",     "boost/",   "elf.h",   "fmt/",    "google/protobuf/", "nettle/",
    "nghttp2/", "openssl/", "spdlog/", "toml++/", "yaml-cpp/",
};
const std::set<std::string_view> kModuleLibraries = {"google/protobuf/"};
const std::set<std::string_view> kPluginLibraries = {"boost/json", "google/protobuf/"};
const std::set<std::string_view> kServiceLibraries = {};

bool is_generated(std::string_view include) {
  return include.ends_with(".pb.h") || include.ends_with("_description.h") ||
         include == "core/version.h" || include == "_cgo_export.h";
}

// The .proto file that a generated header is made from, if it is one of a .proto.
std::optional<std::string> proto_of(std::string_view include) {
  for (const std::string_view suffix : {".grpc.pb.h", ".pb.h"}) {
    if (include.ends_with(suffix)) {
      return std::string(include.substr(0, include.size() - suffix.size())) + ".proto";
    }
  }
  return std::nullopt;
}

// The file of this repository that an include names, or nothing if it names another's.
std::optional<std::string> resolve(const SourceTree& tree, std::string_view from,
                                   std::string_view include) {
  const std::string own_folder(from.substr(0, from.rfind('/') + 1));
  for (const std::string& root :
       {own_folder, std::string(), std::string("agent/"), std::string("modules/"),
        std::string("plugins/"), std::string("sdk/include/"),
        std::string("sdk/testing/include/")}) {
    const std::string path = root + std::string(include);
    if (tree.contains(path)) return path;
    if (tree.contains(path + ".in")) return path + ".in";  // made by configure_file
  }
  const auto proto = proto_of(include);
  if (!proto) return std::nullopt;
  for (const auto& [path, file] : tree) {
    if (path.ends_with("/proto/" + *proto)) return path;
  }
  return std::nullopt;
}

// Why a file must not include another; empty if it may.
std::string refusal_in_agent(std::string_view from, std::string_view to) {
  if (to.starts_with("sdk/include/") || to.starts_with("sdk/proto/longshore/") ||
      to.starts_with("sdk/proto/grpc/")) {
    return {};
  }
  // A tool for vendors, which judges a module as the agent does and runs it as a test does.
  if (from.starts_with("agent/tools/module_check/") && to.starts_with("sdk/testing/include/")) {
    return {};
  }
  if (folder(to) != "agent") return "the agent includes only itself and the SDK, and no group";
  const auto own = kAgentLevels.find(folder(from, 1));
  const auto other = kAgentLevels.find(folder(to, 1));
  if (own == kAgentLevels.end() || other == kAgentLevels.end()) {
    return "a folder of the agent has no place in the order";
  }
  if (own == other || other->second < own->second) return {};
  return std::string(own->first) + " is not above " + std::string(other->first);
}

std::string refusal_in_sdk(std::string_view from, std::string_view to) {
  if (from.ends_with("/abi.h")) return "the ABI header stands alone";
  if (folder(to) != "sdk") return "the SDK includes only itself";
  const std::string_view own = folder(from, 1);
  const std::string_view other = folder(to, 1);
  // The template is a vendor's: it includes all that is installed, and nobody includes it.
  const bool allowed = own == other || own == "template" || other == "include" || other == "proto";
  return allowed ? "" : "the headers of modules come without testing and template";
}

std::string refusal(std::string_view from, std::string_view to) {
  const std::string_view top = folder(from);
  if (top == "agent") return refusal_in_agent(from, to);
  if (top == "sdk") return refusal_in_sdk(from, to);
  if (top == "modules" || top == "plugins") {
    if (folder(to) == "sdk") return {};
    if (folder(to) == top && (folder(to, 1) == folder(from, 1) || folder(to, 1) == "support")) {
      return {};
    }
    return "it includes only itself, support and the SDK";
  }
  return {};
}

bool is_standard(std::string_view include) {
  static const std::set<std::string_view> kOfC = {"errno.h",  "limits.h", "stdbool.h", "stddef.h",
                                                  "stdint.h", "stdio.h",  "stdlib.h",  "string.h"};
  return include.find_first_of("./") == std::string_view::npos || kOfC.contains(include);
}

bool is_of_library(std::string_view include, const std::set<std::string_view>& libraries) {
  return std::ranges::any_of(
      libraries, [&](std::string_view library) { return include.starts_with(library); });
}

bool is_service(std::string_view path) {
  return folder(path) == "modules" &&
         (path.ends_with("_service.cc") || path.ends_with("_service.h"));
}

bool is_for_one_system(std::string_view path) {
  return path.find("/linux/") != std::string_view::npos ||
         path.find("/windows/") != std::string_view::npos;
}

bool is_for_controllers(std::string_view path) {
  return path.starts_with("sdk/kube/") || path.starts_with("sdk/include/longshore/kube/");
}

// Whether the line above an include asks for a system, or for a sanitizer.
bool is_conditional(const SourceFile& file, const Include& include) {
  std::string_view above = file.code;
  for (int line = 2; line < include.line; ++line) above.remove_prefix(above.find('\n') + 1);
  return above.starts_with("#if defined(__linux__)") || above.starts_with("#if defined(_WIN32)") ||
         above.starts_with("#if defined(__SANITIZE_ADDRESS__)");
}

class CircleSearch {
 public:
  explicit CircleSearch(const SourceTree& tree) : tree_(tree) {}

  Findings run() {
    for (const auto& [path, file] : tree_) visit(path);
    return std::move(findings_);
  }

 private:
  void visit(const std::string& path) {
    if (done_.contains(path)) return;
    on_the_way_.push_back(path);
    for (const Include& include : tree_.at(path).includes) {
      const auto to = resolve(tree_, path, include.name);
      if (!to) continue;
      if (std::ranges::find(on_the_way_, *to) == on_the_way_.end()) {
        visit(*to);
      } else {
        findings_.push_back(
            finding(path, include.line, "a circle of includes leads back to " + *to));
      }
    }
    on_the_way_.pop_back();
    done_.insert(path);
  }

  const SourceTree& tree_;
  std::vector<std::string> on_the_way_;
  std::set<std::string> done_;
  Findings findings_;
};

}  // namespace

Findings check_folders(const SourceTree& tree) {
  Findings findings;
  for (const auto& [path, file] : tree) {
    for (const Include& include : file.includes) {
      const auto to = resolve(tree, path, include.name);
      if (to) {
        const std::string why = refusal(path, *to);
        if (!why.empty()) findings.push_back(finding(path, include.line, *to + ": " + why));
      } else if (include.in_quotes && !is_generated(include.name)) {
        findings.push_back(finding(path, include.line, include.name + " is no file of ours"));
      }
    }
  }
  return findings;
}

Findings check_circles(const SourceTree& tree) { return CircleSearch(tree).run(); }

Findings check_system_headers(const SourceTree& tree) {
  Findings findings;
  for (const auto& [path, file] : tree) {
    const bool in_agent = folder(path) == "agent";
    if (!in_agent && folder(path) != "modules" && folder(path) != "plugins" &&
        folder(path) != "sdk") {
      continue;
    }
    if (is_for_one_system(path)) continue;
    const auto& libraries = is_service(path)            ? kServiceLibraries
                            : in_agent                  ? kAgentLibraries
                            : folder(path) == "plugins" ? kPluginLibraries
                            : is_for_controllers(path)  ? kPluginLibraries
                                                        : kModuleLibraries;
    for (const Include& include : file.includes) {
      const bool is_ours = include.in_quotes || include.name.starts_with("longshore/");
      if (is_service(path) && is_for_one_system("/" + include.name)) {
        findings.push_back(finding(path, include.line, include.name + " is of one system"));
      }
      if (is_ours || is_standard(include.name) || is_of_library(include.name, libraries) ||
          is_conditional(file, include)) {
        continue;
      }
      findings.push_back(finding(path, include.line, include.name + " does not belong here"));
    }
  }
  return findings;
}

}  // namespace longshore::style
