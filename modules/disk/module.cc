// The module longshore-disk: csi-proxy's disk group on this node's disks.
#include "longshore/module.hpp"

#include <optional>

#include "disk/api_adapter.h"
#include "disk/disk_service.h"
#include "disk/linux/disk_backend_linux.h"
#include "module_description.h"
#include "support/linux/block/disk_names.h"

namespace longshore::disk {
namespace {

class DiskModule final : public Module {
 public:
  Result<void> start(const Settings& settings, std::string_view) override {
    auto names = block::DiskNames::from(settings.get_strings("disk_names"));
    if (!names) return std::move(names).error();
    backend_.emplace(*std::move(names));
    service_.emplace(*backend_);
    versions_.emplace(*service_);
    ApiAdapter::add_to(
        [this](std::string name) { return add_service(std::move(name), *versions_); });
    return {};
  }

 private:
  std::optional<DiskBackendLinux> backend_;
  std::optional<DiskService> service_;
  std::optional<ApiAdapter> versions_;
};

}  // namespace
}  // namespace longshore::disk

LONGSHORE_MODULE(longshore::disk::DiskModule, "longshore-disk", "0.1.0", "Longshore")
