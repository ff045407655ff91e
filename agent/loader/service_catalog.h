// The services that the agent serves right now and the descriptors that explain them.
//
// One immutable snapshot, replaced as a whole with the routes. Reflection and health are answered
// from it, so a generic client works with a module that the agent has never heard of.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "loader/description.h"

namespace longshore::loader {

class ServiceCatalog {
 public:
  // Adds what one module describes. `healthy`: whether its services are being served.
  void add(const ModuleDescription& description, bool healthy);

  bool has(std::string_view service) const { return services_.find(service) != services_.end(); }
  bool healthy(std::string_view service) const;
  std::vector<std::string> services() const;

  // The named file, or the one that defines a symbol, with everything it imports, each once.
  // Empty when it is unknown. Modules that carry a file of the same name and other contents are
  // kept apart: the import is looked up in the same module first.
  std::vector<std::string> file(std::string_view name) const;
  std::vector<std::string> file_with_symbol(std::string_view symbol) const;

 private:
  struct File {
    std::shared_ptr<const DescribedFile> file;
    size_t module;
  };
  const File* find(std::string_view name, size_t module) const;
  std::vector<std::string> with_imports(const File& file) const;

  std::map<std::string, bool, std::less<>> services_;
  std::vector<File> files_;  // as added
  size_t modules_ = 0;
};

// Where the endpoints find the present catalog. Threads: any.
class CatalogHolder {
 public:
  std::shared_ptr<const ServiceCatalog> get() const {
    const std::lock_guard lock(mutex_);
    return catalog_;
  }
  void set(std::shared_ptr<const ServiceCatalog> catalog) {
    const std::lock_guard lock(mutex_);
    catalog_.swap(catalog);
  }

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const ServiceCatalog> catalog_ = std::make_shared<const ServiceCatalog>();
};

}  // namespace longshore::loader
