#include "loader/service_catalog.h"

namespace longshore::loader {

void ServiceCatalog::add(const ModuleDescription& description, bool healthy) {
  const size_t module = modules_++;
  for (const std::string& service : description.services) services_[service] = healthy;
  for (const auto& file : description.files) {
    const auto added = files_.emplace(file.name, File{file, module});
    for (const std::string& symbol : file.symbols) symbols_.emplace(symbol, &added->second);
  }
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
  const auto [first, last] = files_.equal_range(name);
  const File* found = nullptr;
  for (auto each = first; each != last; ++each) {
    if (each->second.module == module) return &each->second;
    if (!found) found = &each->second;
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
    bytes.push_back(next->file.bytes);
    for (const std::string& name : next->file.dependencies) {
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
  const auto found = symbols_.find(symbol);
  return found == symbols_.end() ? std::vector<std::string>() : with_imports(*found->second);
}

}  // namespace longshore::loader
