#include "loader/service_catalog.h"

#include <algorithm>
#include <set>

namespace longshore::loader {

void ServiceCatalog::add(const ModuleDescription& description, bool healthy) {
  const size_t module = modules_++;
  for (const std::string& service : description.services) services_[service] = healthy;
  for (const auto& file : description.files) files_.push_back({file, module});
}

bool ServiceCatalog::healthy(std::string_view service) const {
  const auto found = services_.find(service);
  return found != services_.end() && found->second;
}

std::vector<std::string> ServiceCatalog::services() const {
  std::vector<std::string> names;
  for (const auto& [name, healthy] : services_) names.push_back(name);
  return names;
}

const ServiceCatalog::File* ServiceCatalog::find(std::string_view name, size_t module) const {
  const File* found = nullptr;
  for (const File& each : files_) {
    if (each.file->name != name) continue;
    if (each.module == module) return &each;
    if (!found) found = &each;
  }
  return found;
}

std::vector<std::string> ServiceCatalog::with_imports(const File& file) const {
  std::vector<std::string> bytes;
  std::set<const File*> seen{&file};
  std::vector<const File*> to_visit{&file};
  while (!to_visit.empty()) {
    const File* next = to_visit.back();
    to_visit.pop_back();
    bytes.push_back(next->file->bytes);
    for (const std::string& name : next->file->dependencies) {
      const File* import = find(name, next->module);
      if (import && seen.insert(import).second) to_visit.push_back(import);
    }
  }
  return bytes;
}

std::vector<std::string> ServiceCatalog::file(std::string_view name) const {
  const File* found = find(name, 0);
  return found ? with_imports(*found) : std::vector<std::string>();
}

std::vector<std::string> ServiceCatalog::file_with_symbol(std::string_view symbol) const {
  const auto found = std::find_if(files_.begin(), files_.end(),
                                  [&](const File& each) { return each.file->defines(symbol); });
  return found == files_.end() ? std::vector<std::string>() : with_imports(*found);
}

}  // namespace longshore::loader
