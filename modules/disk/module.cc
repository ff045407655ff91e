// The module longshore-disk: csi-proxy's disk group on this node's disks.
#include "longshore/module.hpp"

#include <memory>
#include <optional>
#include <utility>

#include "disk/api_adapter.h"
#include "disk/disk_service.h"
#include "disk/make_backend.h"
#include "module_description.h"

namespace longshore::disk {
namespace {

class DiskModule final : public Module {
 public:
  Result<void> start(const Settings& settings, std::string_view) override {
    auto backend = make_backend(settings);
    if (!backend) return std::move(backend).error();
    backend_ = *std::move(backend);
    service_.emplace(*backend_);
    versions_.emplace(*service_);
    ApiAdapter::add_to(
        [this](std::string name) { return add_service(std::move(name), *versions_); });
    return {};
  }

 private:
  std::unique_ptr<DiskBackend> backend_;
  std::optional<DiskService> service_;
  std::optional<ApiAdapter> versions_;
};

}  // namespace
}  // namespace longshore::disk

LONGSHORE_MODULE(longshore::disk::DiskModule, "longshore-disk", "0.1.0", "Longshore")
