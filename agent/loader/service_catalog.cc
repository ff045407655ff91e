#include "loader/service_catalog.h"

#include <utility>

#include "loader/pruned_files.h"

namespace longshore::loader {

void ServiceCatalog::add(const ModuleDescription& description, bool healthy) {
  for (const std::string& name : description.services) {
    services_[name] = {.healthy = healthy, .module = modules_.size()};
  }
  modules_.push_back(description.files);
}

bool ServiceCatalog::healthy(std::string_view service) const {
  const auto found = services_.find(service);
  return found != services_.end() && found->second.healthy;
}

std::vector<std::string> ServiceCatalog::services() const {
  std::vector<std::string> names;
  for (const auto& [name, service] : services_) names.push_back(name);
  return names;
}

std::shared_ptr<const ServedFiles> ServiceCatalog::files_of(
    const std::vector<std::string>& services) const {
  const std::lock_guard lock(mutex_);
  auto& made = made_[services];
  if (!made) made = make_files_of(services);
  return made;
}

// A service is explained by the module that serves it, whatever others' files say of it.
std::shared_ptr<const ServedFiles> ServiceCatalog::make_files_of(
    const std::vector<std::string>& services) const {
  std::map<size_t, std::vector<std::string>> by_module;
  for (const std::string& name : services) {
    const auto found = services_.find(name);
    if (found != services_.end()) by_module[found->second.module].push_back(name);
  }
  std::vector<DescribedFiles> files;
  files.reserve(by_module.size());
  for (const auto& [module, names] : by_module) {
    files.push_back(pruned_files(modules_[module], names));
  }
  return std::make_shared<const ServedFiles>(std::move(files));
}

}  // namespace longshore::loader
