#include "sidecars/installed_controllers.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>
#include <utility>

#include "config/schema.h"
#include "config/toml_text.h"
#include "core/inspected_modules.h"
#include "main/installed_modules.h"
#include "text/file_path.h"

namespace longshore::sidecars {
namespace {

// What "*" stands for: what runs beside a CSI driver on each node. What works with the cluster's
// objects, as external-attacher, is wanted once, and is named.
constexpr std::array<std::string_view, 2> kNodeSidecars = {"livenessprobe",
                                                           "node-driver-registrar"};

std::vector<std::string> items_of(std::string_view list) {
  std::vector<std::string> items;
  while (!list.empty()) {
    const size_t comma = std::min(list.find(','), list.size());
    if (comma > 0) items.emplace_back(list.substr(0, comma));
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return items;
}

std::vector<std::string> names_of(const InstalledControllers& installed) {
  std::vector<std::string> names;
  for (const auto& [name, schema] : installed.described) names.push_back(name);
  return names;
}

// With the folders where it may be for these that one is not installed.
std::string list_of(const InstalledControllers& installed) {
  std::string names;
  for (const std::string& name : names_of(installed)) {
    names += (names.empty() ? "" : ", ") + name;
  }
  std::string folders;
  bool lacks_given = false;
  for (const auto& [folder, is_there] : installed.folders) {
    folders += (folders.empty() ? " in " : ", ") + config::in_quotes(folder) +
               (is_there ? "" : ", which is no folder");
    lacks_given = lacks_given || (!is_there && &folder != &installed.folders.back().first);
  }
  if (names.empty()) return "none" + folders + "; name their folder with --module-dir";
  return lacks_given ? names + "; they are looked for" + folders : names;
}

Error refused(const std::string& list, std::string why, const InstalledControllers& installed) {
  return Error(StatusCode::kInvalidArgument, "run the controllers", list)
      .because(std::move(why))
      .advise("installed are: " + list_of(installed));
}

Result<void> check_name(const std::string& list, const std::string& name,
                        const InstalledControllers& installed) {
  if (installed.described.contains(name)) return {};
  const auto unreadable = installed.unreadable.find(name);
  if (unreadable != installed.unreadable.end()) {
    return refused(list, unreadable->second, installed);
  }
  const std::string nearest = config::nearest(name, names_of(installed));
  return refused(list,
                 "there is no controller " + config::in_quotes(name) +
                     (nearest.empty() ? "" : "; did you mean " + config::in_quotes(nearest) + "?"),
                 installed);
}

bool is_chosen(const std::string& name, const std::vector<std::string>& items) {
  const auto first = std::ranges::find_if(items, [&](const std::string& item) {
    return item == name || (item.starts_with('-') && item.substr(1) == name);
  });
  if (first != items.end()) return *first == name;
  return std::ranges::find(items, "*") != items.end() &&
         std::ranges::find(kNodeSidecars, name) != kNodeSidecars.end();
}

}  // namespace

InstalledControllers read_installed_controllers(const std::vector<std::string>& folders) {
  config::AgentSettings agent;
  agent.module_dirs = folders;
  core::InspectedModules modules({});
  InstalledControllers installed;
  for (const std::string& folder : folders) {
    std::error_code ignored;  // as where its modules are looked for
    const bool is_there = std::filesystem::is_directory(text::file_path(folder), ignored);
    installed.folders.emplace_back(folder, is_there);
  }
  for (const auto& [name, library] : installed_modules(folders)) {
    config::ModuleSettings settings;
    settings.name = name;
    settings.library = library;
    auto schema = modules.describe(settings, agent);
    modules.forget();
    if (!schema) {
      installed.unreadable.emplace(name, schema.error().message());
    } else if (schema->is_controller) {
      installed.described.emplace(name, std::move(*schema));
    }
  }
  return installed;
}

Result<std::vector<std::string>> chosen_controllers(std::string_view list,
                                                    const InstalledControllers& installed) {
  const std::string whole(list);
  const std::vector<std::string> items = items_of(list);
  for (const std::string& item : items) {
    if (item == "*") continue;
    const std::string name = item.starts_with('-') ? item.substr(1) : item;
    if (auto known = check_name(whole, name, installed); !known) return std::move(known).error();
  }
  if (items.empty()) {
    return refused(whole, "none is named, as the flag --controllers=LIST does it", installed);
  }
  std::vector<std::string> chosen;
  for (const auto& [name, schema] : installed.described) {
    if (is_chosen(name, items)) chosen.push_back(name);
  }
  if (chosen.empty()) return refused(whole, "that is none", installed);
  return chosen;
}

}  // namespace longshore::sidecars
