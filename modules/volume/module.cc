// The module longshore-volume: csi-proxy's volume group on this node's disks.
#include "longshore/module.hpp"

#include <memory>
#include <optional>
#include <utility>

#include "module_description.h"
#include "volume/api_adapter.h"
#include "volume/make_backend.h"
#include "volume/volume_service.h"

namespace longshore::volume {
namespace {

class VolumeModule final : public Module {
 public:
  Result<void> start(const Settings& settings, std::string_view) override {
    auto roots = support::AllowedRoots::from(settings.get_strings("allowed_roots"));
    if (!roots) return std::move(roots).error();
    auto backend = make_backend(settings, *roots);
    if (!backend) return std::move(backend).error();
    backend_ = *std::move(backend);
    service_.emplace(*std::move(roots), *backend_);
    versions_.emplace(*service_);
    ApiAdapter::add_to(
        [this](std::string name) { return add_service(std::move(name), *versions_); });
    return {};
  }

 private:
  std::unique_ptr<VolumeBackend> backend_;
  std::optional<VolumeService> service_;
  std::optional<ApiAdapter> versions_;
};

}  // namespace
}  // namespace longshore::volume

LONGSHORE_MODULE(longshore::volume::VolumeModule, "longshore-volume", "0.1.0", "Longshore")
