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
#include "loader/served_files.h"

namespace longshore::loader {

// Threads: `add` before others have it, then any.
class ServiceCatalog {
 public:
  // Adds what one module describes. `healthy`: whether its services are being served.
  void add(const ModuleDescription& description, bool healthy);

  bool has(std::string_view service) const { return services_.find(service) != services_.end(); }
  bool healthy(std::string_view service) const;
  std::vector<std::string> services() const;

  // What describes these services and nothing else. It is made once for each endpoint that is
  // asked, since making it takes as long as many calls do.
  std::shared_ptr<const ServedFiles> files_of(const std::vector<std::string>& services) const;

 private:
  struct Service {
    bool healthy;
    size_t module;
  };
  std::shared_ptr<const ServedFiles> make_files_of(const std::vector<std::string>& services) const;

  std::map<std::string, Service, std::less<>> services_;
  std::vector<DescribedFiles> modules_;  // as added

  mutable std::mutex mutex_;
  mutable std::map<std::vector<std::string>, std::shared_ptr<const ServedFiles>> made_;
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
