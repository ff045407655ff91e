// The module longshore-volume: csi-proxy's volume group on this node's disks.
#include "longshore/module.hpp"

#include <optional>
#include <string>

#include "module_description.h"
#include "support/linux/block/disk_names.h"
#include "volume/api_adapter.h"
#include "volume/linux/volume_backend_linux.h"
#include "volume/volume_service.h"

namespace longshore::volume {
namespace {

class VolumeModule final : public Module {
 public:
  Result<void> start(const Settings& settings, std::string_view) override {
    auto names = block::DiskNames::from(settings.get_strings("disk_names"));
    if (!names) return std::move(names).error();
    auto roots = support::AllowedRoots::from(settings.get_strings("allowed_roots"));
    if (!roots) return std::move(roots).error();
    const std::string mkfs_directory = settings.get_string("mkfs_directory");
    if (!mkfs_directory.starts_with('/')) {
      return Error(StatusCode::kInvalidArgument, "use as mkfs_directory", mkfs_directory)
          .because("it is no absolute path");
    }
    backend_.emplace(VolumeBackendLinux::Options{
        .disk_names = *std::move(names),
        .roots = *roots,
        .filesystem = settings.get_string("filesystem"),
        .mkfs_directory = mkfs_directory,
        .state_directory = settings.state_directory(),
    });
    service_.emplace(*std::move(roots), *backend_);
    versions_.emplace(*service_);
    ApiAdapter::add_to(
        [this](std::string name) { return add_service(std::move(name), *versions_); });
    return {};
  }

 private:
  std::optional<VolumeBackendLinux> backend_;
  std::optional<VolumeService> service_;
  std::optional<ApiAdapter> versions_;
};

}  // namespace
}  // namespace longshore::volume

LONGSHORE_MODULE(longshore::volume::VolumeModule, "longshore-volume", "0.1.0", "Longshore")
